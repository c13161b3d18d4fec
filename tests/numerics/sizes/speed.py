"""The speed of a perceptron with a number of rows known at run time, as a share of static libraries', in turns.

  speed.py KGEN WORK_FOLDER [--sizes 1,7,16,64,100,128] [--variants x86-64-v3,x86-64-v4] [--rounds 60] [--static KGEN]

Prints for each variant the size of the code as a multiple of the static code of the greatest size, and for each size the 10th percentiles in us
of processor time and the median ratio of calls in turns.
"""
import argparse
import pathlib
import subprocess
import time

import numpy as np

import built

WIDTH, LAYERS, GREATEST = 1024, 3, 128


def spec():
    weights, nodes, value = [], [], "x"
    for i in range(LAYERS):
        weights += [f'w{i}: {{type: "f32[{WIDTH}, {WIDTH}]", random: {{seed: {10 * i + 10}}}}}',
                    f'b{i}: {{type: "f32[{WIDTH}]", random: {{seed: {10 * i + 11}}}}}']
        nodes += [f"- {{name: m{i}, op: MatMul, inputs: [{value}, w{i}]}}", f"- {{name: a{i}, op: Add, inputs: [m{i}, b{i}]}}",
                  f"- {{name: h{i}, op: Relu, inputs: [a{i}]}}"]
        value = f"h{i}"
    indented = "\n      "
    return f"""library: mlp
targets: [x86-64-v3, x86-64-v4]
python: true
dims: {{batch: {{max: {GREATEST}}}}}
graphs:
  - name: forward
    inputs: {{x: "f32[batch, {WIDTH}]"}}
    weights:
      {indented.join(weights)}
    nodes:
      {indented.join(nodes)}
    outputs: [{value}]
"""


def text(folder, variant):
    objects = sorted((folder / "folder/objects").glob(f"forward.{variant}.o"))
    return sum(int(built.run("size", path).splitlines()[1].split()[0]) for path in objects)


def module(kgen, folder, *options):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mlp.yaml").write_text(spec())
    return built.module_of(kgen, folder / "mlp.yaml", folder, "mlp", *options)


def compare(calls, rounds):
    """The 10th percentiles of both, and the median ratio of calls in turns."""
    times = ([], [])
    for i in range(rounds):
        for k in (0, 1) if i % 2 else (1, 0):
            start = time.thread_time()
            calls[k]()
            times[k].append(time.thread_time() - start)
    return [np.percentile(t, 10) for t in times], float(np.median(np.array(times[1]) / np.array(times[0])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgen")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--sizes", default="1,7,16,64,100,128")
    parser.add_argument("--variants", default="x86-64-v3,x86-64-v4")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--static", help="another kgen for the static libraries")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    symbolic = module(options.kgen, options.work / "symbolic")
    static = {n: module(options.static or options.kgen, options.work / str(n), "--dim", f"batch={n}") for n in {*sizes, GREATEST}}
    for variant in options.variants.split(","):
        share = text(options.work / "symbolic", variant) / text(options.work / str(GREATEST), variant)
        print(f"{variant}: {share:.2f} times the code of {GREATEST} rows")
        ratios = []
        for n in sizes:
            x = np.random.default_rng(n).standard_normal((n, WIDTH)).astype(np.float32)
            outputs = [np.empty_like(x), np.empty_like(x)]
            calls = [m.load(variant=variant).bind("forward", x, out=y) for m, y in zip((symbolic, static[n]), outputs)]
            percentiles, ratio = compare(calls, options.rounds * max(1, 40 // n))
            ratios.append(ratio)
            print(f"{n:6} rows: {percentiles[0] * 1e6:7.0f} us, static {percentiles[1] * 1e6:7.0f} us: {ratio:.2f}", flush=True)
            np.testing.assert_allclose(outputs[0], outputs[1], rtol=1e-3, atol=1e-2)
        print(f"       mean {np.exp(np.mean(np.log(ratios))):.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
