// A model with onnxruntime-node and one thread, on an input of floats: node runtime.js PACKAGES MODEL X Y writes the result, and for
// each line of standard input, a number of calls, prints what one takes in microseconds of processor time. --ranges MODEL X JSON writes least and largest
// elements of all outputs instead.
"use strict";
const fs = require("fs");
const readline = require("readline");
const [packages, ...rest] = process.argv.slice(2);
const path = require.resolve("onnxruntime-node", {paths: [packages]});
const {InferenceSession, Tensor} = require(path);
const wantsRanges = rest[0] === "--ranges";
const [model, xPath, outPath] = wantsRanges ? rest.slice(1) : rest;

function floats(file) {
  const bytes = fs.readFileSync(file);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

async function main() {
  const session = await InferenceSession.create(model, {intraOpNumThreads: 1, interOpNumThreads: 1, graphOptimizationLevel: "all", logSeverityLevel: 3});
  const shape = session.inputMetadata[0].shape.map(Number);
  const feeds = {[session.inputNames[0]]: new Tensor("float32", floats(xPath), shape)};
  let out = await session.run(feeds);
  if (wantsRanges) {
    const ranges = {};
    for (const [name, tensor] of Object.entries(out))
      if (tensor.type === "float32")
        ranges[name] = tensor.data.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
    fs.writeFileSync(outPath, JSON.stringify(ranges));
    return;
  }
  fs.writeFileSync(outPath, Buffer.from(new Float32Array(out[session.outputNames[0]].data).buffer));
  console.log(require(require.resolve("onnxruntime-node/package.json", {paths: [packages]})).version);
  for await (const line of readline.createInterface({input: process.stdin})) {
    const start = process.cpuUsage();
    for (let i = 0; i < Number(line); i++)
      await session.run(feeds);
    const {user, system} = process.cpuUsage(start);
    console.log((user + system) / Number(line));
  }
}
main();
