// What silero.c does, with onnxruntime-node and one thread: node silero.js PACKAGES MODEL FRAMES RESULTS FRAME CONTEXT RATE
// The states' names and sizes are the model's: those of version 5 (state, stateN) or before (h, c, hn, cn).
"use strict";
const fs = require("fs");
const readline = require("readline");
const [packages, model, framesPath, resultsPath, frameText, contextText, rate] = process.argv.slice(2);
const {InferenceSession, Tensor} = require(require.resolve("onnxruntime-node", {paths: [packages]}));
const frame = Number(frameText), context = Number(contextText);

// All frames from a state of zeros; times in microseconds. Tensors are made once: only `run` is timed.
async function run(session, samples, results) {
  const isOld = session.inputNames.includes("h");
  const states = isOld ? [["h", "hn"], ["c", "cn"]] : [["state", "stateN"]];
  const shape = [2, 1, isOld ? 64 : 128];
  const zeros = () => new Tensor("float32", new Float32Array(2 * shape[2]), shape);
  const window = new Float32Array(context + frame);
  const feeds = {input: new Tensor("float32", window, [1, window.length]), sr: new Tensor("int64", [BigInt(rate)], [])};
  const fetches = {output: new Tensor("float32", new Float32Array(1), [1, 1])};
  for (const [before, after] of states) {
    feeds[before] = zeros();
    fetches[after] = zeros();
  }
  const times = [];
  for (let i = 0; i + frame <= samples.length; i += frame) {
    window.copyWithin(0, frame);
    window.set(samples.subarray(i, i + frame), context);
    const start = process.hrtime.bigint();
    const out = await session.run(feeds, fetches);
    times.push(Number(process.hrtime.bigint() - start) / 1000);
    for (const name of ["output", ...states.map(([, after]) => after)])
      results?.push(Buffer.from(new Float32Array(out[name].data).buffer));
    for (const [before, after] of states)
      feeds[before].data.set(out[after].data);
  }
  return times.sort((a, b) => a - b);
}

async function main() {
  const bytes = fs.readFileSync(framesPath);
  const samples = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const session = await InferenceSession.create(model, {intraOpNumThreads: 1, interOpNumThreads: 1, graphOptimizationLevel: "all", logSeverityLevel: 3});
  const results = [];
  await run(session, samples, results);
  fs.writeFileSync(resultsPath, Buffer.concat(results));
  console.log("onnxruntime-node");
  for await (const line of readline.createInterface({input: process.stdin})) {
    const times = await run(session, samples, null);
    console.log(times[Math.floor(times.length / 2)].toFixed(3));
  }
}
main();
