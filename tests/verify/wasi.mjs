// Runs a module that was linked with wasi-libc: node --no-warnings wasi.mjs MODULE ARGUMENT...
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { WASI } from 'node:wasi';

setFlagsFromString('--experimental-wasm-relaxed-simd'); // which Node has by default from 21 on
const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), preopens: { '/': '/' } });
const code = await WebAssembly.compile(readFileSync(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(code, wasi.getImportObject()));
