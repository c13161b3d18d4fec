// Runs compiled operator cases in an engine for WebAssembly and compares results with the oracle's, as
// runner.c does: node runner.mjs FOLDER [--corrupt] [--small] [--verbose]
//
// FOLDER has runner.wasm, table.mjs and data.bin. JavaScript gives each function exactly the arguments that it
// has. There are no pages that may not be touched: bytes on both sides of each tensor must be unchanged, and
// one tensor of a call ends where memory ends. The first run is without an executor, the second with one that
// runs tasks backwards; both must have the same bits. Exit code: 0, 1 (a case failed), 77 (the engine is below
// the target).
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';

const FILLER = 0xa5, MARGIN = 256, SKIPPED = 77, SMALL = 1 << 15, PAGE = 1 << 16;
const [folder, ...flags] = process.argv.slice(2);
const corrupt = flags.includes('--corrupt'), small = flags.includes('--small'), verbose = flags.includes('--verbose');
const unknown = flags.find(flag => !['--corrupt', '--small', '--verbose'].includes(flag));
if (!folder || unknown) {
  console.error(`${unknown ?? 'FOLDER'}: ${unknown ? 'unknown argument' : 'is missing'}`);
  process.exit(2);
}

setFlagsFromString('--experimental-wasm-relaxed-simd'); // which Node has by default from 21 on
const { cases } = await import(resolve(folder, 'table.mjs'));
const code = readFileSync(resolve(folder, 'runner.wasm'));
if (!WebAssembly.validate(code)) {
  console.log('skipped: this engine is below the target');
  process.exit(SKIPPED);
}
const file = readFileSync(resolve(folder, 'data.bin'));
const data = new ArrayBuffer(file.length); // at an address that all types are aligned for
new Uint8Array(data).set(file);
const engine = (await WebAssembly.instantiate(code)).instance.exports;
const executor = engine.runner_executor();

const F32 = 0, F64 = 1, BF16 = 2, F16 = 3, INTEGER = 4;
const word = new DataView(new ArrayBuffer(8));

function halfToNumber(bits) {
  const exponent = bits >> 10 & 31, digits = bits & 1023, sign = bits >> 15 ? -1 : 1;
  if (exponent === 31) return digits ? NaN : sign * Infinity;
  return sign * (exponent === 0 ? digits * 2 ** -24 : (digits + 1024) * 2 ** (exponent - 25));
}

// A tensor's elements as numbers, and their positions among all numbers of the type in ascending order.
class Elements {
  constructor(buffer, address, [, count, width, kind]) {
    this.kind = kind;
    this.bytes = new Uint8Array(buffer, address, count * width);
    if (kind === F32) this.floats = new Float32Array(buffer, address, count);
    if (kind === F64) this.floats = new Float64Array(buffer, address, count);
    if (kind === F64) this.bits = new BigInt64Array(buffer, address, count);
    if (kind === F32) this.bits = new Int32Array(buffer, address, count);
    if (kind === BF16 || kind === F16) this.bits = new Int16Array(buffer, address, count);
  }
  number(i) {
    if (this.floats) return this.floats[i];
    if (this.kind === F16) return halfToNumber(this.bits[i] & 0xffff);
    word.setInt32(0, this.bits[i] << 16);
    return word.getFloat32(0);
  }
  order(i) {
    const bits = this.bits[i];
    if (this.kind === F64) return bits < 0n ? -(bits & 0x7fffffffffffffffn) : bits;
    return BigInt(bits < 0 ? -(bits & (this.kind === F32 ? 0x7fffffff : 0x7fff)) : bits);
  }
}

// In units in the last place; NaN is near NaN only, zeros of different sign are one unit apart.
function distance(got, expected, i) {
  const g = got.number(i), e = expected.number(i);
  if (Number.isNaN(g) || Number.isNaN(e)) return Number.isNaN(g) && Number.isNaN(e) ? 0 : Infinity;
  if (g === 0 && e === 0) return Object.is(g, e) ? 0 : 1;
  const apart = got.order(i) - expected.order(i);
  return Number(apart < 0n ? -apart : apart);
}

function numberFits(ulps, bound, got, expected, i) {
  const g = got.number(i), e = expected.number(i);
  if (Object.is(g, e)) return true;
  const ulpsOff = distance(got, expected, i);
  if (bound === undefined) return g === 0 && e === 0 ? ulpsOff === 0 : ulpsOff <= ulps;
  return Number.isFinite(e) ? Math.abs(g - e) <= bound : ulpsOff === 0;
}

function compare(name, output, got, expected, width, ulps, bounds) {
  let wrong = 0;
  const count = got.bytes.length / width;
  for (let i = 0; i < count; ++i) {
    let fits;
    if (got.kind === INTEGER) {
      fits = true;
      for (let b = i * width; b < (i + 1) * width; ++b) fits &&= got.bytes[b] === expected.bytes[b];
    } else {
      fits = numberFits(ulps, bounds?.[i], got, expected, i);
    }
    if (fits || ++wrong > 3 || corrupt) continue;
    console.log(got.kind === INTEGER
      ? `${name}: output ${output}, element ${i} differs`
      : `${name}: output ${output}, element ${i} is ${got.number(i)}, expected ${expected.number(i)}: ${distance(got, expected, i)} ulp apart (allowed: ${bounds ? `absolute error ${bounds[i]}` : `ulp ${ulps}`})`);
  }
  return wrong;
}

// Addresses for so many bytes each, with margins; the one of number `last` ends where memory ends.
function place(sizes, last) {
  let next = engine.__heap_base.value + MARGIN;
  const align = address => Math.ceil(address / 64) * 64;
  const addresses = sizes.map((bytes, i) => {
    if (i === last) return 0;
    const address = align(next);
    next = address + bytes + MARGIN;
    return address;
  });
  const missing = align(next) + MARGIN + 64 + sizes[last] - engine.memory.buffer.byteLength;
  if (missing > 0) engine.memory.grow(Math.ceil(missing / PAGE));
  addresses[last] = Math.floor((engine.memory.buffer.byteLength - sizes[last]) / 64) * 64;
  return addresses;
}

// Against the end of memory as far as the type's alignment allows; the workspace is aligned to 64 bytes.
function atEnd(bytes, alignment) {
  return Math.floor((engine.memory.buffer.byteLength - bytes) / alignment) * alignment;
}

function run([name, symbol, workspaceBytes, inputs, tensors, ulps, boundOffsets, sizes], last, withExecutor, kept) {
  const workspace = Math.ceil(workspaceBytes / 64) * 64;
  const bytes = [...tensors.map(([, count, width]) => count * width), workspace];
  const addresses = place(bytes, last);
  addresses[last] = atEnd(bytes[last], last < tensors.length ? tensors[last][2] : 64);
  const memory = new Uint8Array(engine.memory.buffer);
  bytes.forEach((size, i) => memory.fill(FILLER, addresses[i] - MARGIN, addresses[i] + size + MARGIN));
  tensors.slice(0, inputs).forEach(([offset], i) => memory.set(new Uint8Array(data, offset, bytes[i]), addresses[i]));
  engine[symbol](...sizes, ...addresses, withExecutor ? executor : 0);
  let wrong = 0;
  const complain = text => { ++wrong; if (!corrupt) console.log(`${name}: ${text}`); };
  tensors.forEach((tensor, i) => {
    const [offset, count, width, kind] = tensor;
    const got = new Elements(engine.memory.buffer, addresses[i], tensor), expected = new Elements(data, offset, tensor);
    if (i >= inputs && kept[i] && Buffer.compare(kept[i], got.bytes)) complain(`output ${i - inputs} depends on the executor`);
    if (i >= inputs) kept[i] = Buffer.from(got.bytes);
    if (corrupt && i >= inputs && count) {
      const spoiled = got.bytes.subarray((count - 1) * width);
      if (kind === INTEGER) spoiled[0] ^= 1;
      else spoiled.fill(Number.isNaN(got.number(count - 1)) ? 0 : 0xff);
    }
    if (i < inputs && Buffer.compare(got.bytes, expected.bytes)) complain(`input ${i} was changed`);
    if (i < inputs) return;
    const bounds = ulps < 0 ? new Float64Array(data, boundOffsets[i - inputs], count) : undefined;
    wrong += compare(name, i - inputs, got, expected, width, ulps, bounds);
  });
  bytes.forEach((size, i) => {
    const outside = [memory.subarray(addresses[i] - MARGIN, addresses[i]), memory.subarray(addresses[i] + size, addresses[i] + size + MARGIN)];
    if (outside.some(side => side.some(value => value !== FILLER)))
      complain(i < tensors.length ? `wrote outside of tensor ${i}` : 'wrote outside of the workspace');
  });
  return wrong;
}

let failed = 0, empty = 0, ran = 0;
for (const [number, one] of cases.entries()) {
  const [name, , , inputs, tensors] = one;
  if (small && tensors.reduce((sum, [, count]) => sum + count, 0) > SMALL) continue;
  ++ran;
  const kept = [], places = tensors.length + 1;
  let wrong = 0;
  try {
    wrong = run(one, number % places, false, kept) + run(one, (number + 1) % places, true, kept);
  } catch (error) {
    console.log(`${name}: ${error}`);
    wrong = corrupt ? 0 : 1;
  }
  failed += wrong !== 0;
  empty += tensors.slice(inputs).every(([, count]) => count === 0);
  if (verbose) console.log(`${name}: ${wrong ? 'FAILED' : 'ok'}`);
}
console.log(`${ran} cases, ${failed} failed, ${engine.runner_launches()} launches of tasks, ${engine.memory.buffer.byteLength >> 20} MiB`);
process.exit(corrupt ? (failed + empty === ran && ran > empty ? 0 : 1) : failed || ran === 0 ? 1 : 0);
