// The module of demo/web on the samples of text art: node web_samples.mjs MODULE FOLDER
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [path, folder] = process.argv.slice(2), code = readFileSync(path);
if (code.length >= 60000) throw new Error(`the module has ${code.length} bytes`);
const { exports: library } = (await WebAssembly.instantiate(code)).instance;
if (library.init() !== 0) throw new Error('init fails');
for (let digit = 0; digit < 10; ++digit) {
  const image = new Float32Array(library.memory.buffer, library.image(), 256).fill(0);
  readFileSync(join(folder, `${digit}.txt`), 'utf8').split('\n').slice(0, 16).forEach((line, row) =>
    [...line].forEach((level, column) => { image[16 * row + column] = ' .:-=+*#%@'.indexOf(level) / 9; }));
  if (library.classify() !== 0) throw new Error('classify fails');
  const probabilities = [...new Float32Array(library.memory.buffer, library.probabilities(), 10)];
  const found = probabilities.indexOf(Math.max(...probabilities));
  if (found !== digit) throw new Error(`${digit} was taken for ${found}`);
}
console.log(`10 samples are right, module ${code.length} bytes`);
