// Modules of generated libraries next to onnxruntime-web in one engine, one thread: node web.mjs PACKAGES PLAN, where PLAN is a JSON file with
// a list of {name, model, input, shape, modules: {target: file}}. Prints for each network what a call takes, in microseconds: the least of some rounds,
// in which all take turns, and the largest difference of results by the largest magnitude.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';
import {setFlagsFromString} from 'node:v8';

setFlagsFromString('--experimental-wasm-relaxed-simd');
const [packages, plan] = process.argv.slice(2);
const folder = `${packages}/node_modules/onnxruntime-web/`;
const ort = await import(pathToFileURL(`${folder}dist/ort.wasm.min.mjs`));
ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = pathToFileURL(`${folder}dist/`).href;
const rounds = 60, roundMs = 20;

async function own(file, x) {
  const {exports} = (await WebAssembly.instantiate(readFileSync(file))).instance;
  if (exports.init() !== 0)
    throw new Error(`${file}: no variant fits this engine`);
  new Float32Array(exports.memory.buffer, exports.input(), x.length).set(x);
  return {exports, call: () => exports.run()};
}

function difference(mine, wanted) {
  let most = 0, largest = 0;
  wanted.forEach((value, i) => {
    largest = Math.max(largest, Math.abs(value));
    most = Math.max(most, Math.abs(value - mine[i]));
  });
  return most / largest;
}

async function milliseconds(call, count) {
  const start = performance.now();
  for (let i = 0; i < count; i++)
    await call();
  return performance.now() - start;
}

async function measure({name, model, input, shape, modules}) {
  const bytes = readFileSync(input), x = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const session = await ort.InferenceSession.create(readFileSync(model), {executionProviders: ['wasm']});
  const feeds = {[session.inputNames[0]]: new ort.Tensor('float32', x, shape)};
  const wanted = (await session.run(feeds))[session.outputNames[0]].data;
  const contestants = [{target: 'onnxruntime-web', call: () => session.run(feeds), us: Infinity}];
  for (const [target, file] of Object.entries(modules)) {
    const {exports, call} = await own(file, x);
    if (call() !== 0)
      throw new Error(`${file}: the call failed`);
    const got = new Float32Array(exports.memory.buffer, exports.output(), wanted.length);
    contestants.push({target, call, us: Infinity, difference: difference(got, wanted)});
  }
  for (const one of contestants) { // the engine compiles what is called often once more
    await milliseconds(one.call, 20);
    one.calls = Math.max(1, Math.round(roundMs / ((await milliseconds(one.call, 5)) / 5)));
    await milliseconds(one.call, one.calls * 5);
  }
  for (let round = 0; round < rounds; round++)
    for (const one of contestants)
      one.us = Math.min(one.us, 1e3 * (await milliseconds(one.call, one.calls)) / one.calls);
  return {name, contestants: contestants.map(({target, us, difference}) => ({target, us, difference}))};
}

const version = createRequire(import.meta.url)(`${folder}package.json`).version;
const networks = [];
for (const one of JSON.parse(readFileSync(plan)))
  networks.push(await measure(one));
console.log(JSON.stringify({version, node: process.version, networks}));
