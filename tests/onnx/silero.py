"""Real models: silero VAD, versions 5 and 4, at both sample rates, against onnxruntime-node with one thread.

  silero.py KGEN WORK_FOLDER [--rounds N] [--frames N] [--streams] [--header FOLDER] [--json FILE]

Not part of any test run: npm brings the models and onnxruntime. 200 frames are heard one after the other, with the state of the one
before: results must differ by 1e-5 at most, states by 1e-5 of their largest magnitude. Then both run all frames in turns. What
counts is the median time of a call, of all rounds; kgen must be twice as fast.

One library for 1 to 4 streams has one size for all inputs, and gives each stream what it would hear alone; --streams compares this only,
and needs no onnxruntime.

onnxruntime-node adds the cost of JavaScript to each call. With --header, the folder of onnxruntime_c_api.h (Debian 13:
libonnxruntime-dev), the same library is called from C, too.
"""
import argparse
import importlib
import json
import pathlib
import re
import statistics
import subprocess
import sys

import numpy

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ONNXRUNTIME = "onnxruntime-node@1.30.0"
TOLERANCE, SPEED = 1e-5, 2
# Version, file, sample rate, new samples of a call, samples before them, names and sizes of states.
MODELS = [("v5", "silero_vad_v5.onnx", 16000, 512, 64, {"state": 128}), ("v5", "silero_vad_v5.onnx", 8000, 256, 32, {"state": 128}),
          ("v4", "silero_vad_legacy.onnx", 16000, 512, 0, {"h": 64, "c": 64}), ("v4", "silero_vad_legacy.onnx", 8000, 256, 0, {"h": 64, "c": 64})]


def call(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


def sound(rate, count):
    """Vowels of changing pitch and color, pauses between them, a quiet room: results from 0 to 1."""
    time = numpy.arange(count) / rate
    pitch = 120 + 20 * numpy.sin(2 * numpy.pi * 2.1 * time)
    phase = 2 * numpy.pi * numpy.cumsum(pitch) / rate
    formants = ((1, 600 + 200 * numpy.sin(2 * numpy.pi * 1.3 * time), 80), (0.6, 1400 + 500 * numpy.sin(2 * numpy.pi * 0.9 * time), 120), (0.3, 2600, 200))
    voice = sum(sum(a / (1 + ((k * pitch - center) / width) ** 2) for a, center, width in formants) * numpy.sin(k * phase) for k in range(1, 30))
    voice *= (numpy.sin(2 * numpy.pi * 0.35 * time) > 0) * (0.55 + 0.45 * numpy.sin(2 * numpy.pi * 4 * time))
    return (0.2 * voice / abs(voice).max() + 0.003 * numpy.random.default_rng(1).standard_normal(count)).astype(numpy.float32)


def packages(work, models_only):
    """Fetches what npm has: the models, and onnxruntime, whose library for Linux is in the package itself."""
    call("sh", ROOT / "demo/voice/model.sh", work / "models")
    if not models_only and not (work / "node_modules/onnxruntime-node").exists():
        (work / "package.json").write_text("{}")
        call("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", ONNXRUNTIME, cwd=work)


def library(kgen, work, version, file, rate, window, states):
    """The program silero.c with the imported model."""
    name = f"silero_{version}_{rate // 1000}"
    dims = ["input:0=1", f"input:1={window}", *(f"{state}:1=1" for state in states)]
    call(kgen, "import", work / "models" / file, "-o", work / name, "--library", name, "--quiet", "--value", f"sr={rate}",
         *(part for dim in dims for part in ("--dim", dim)))
    folder = work / f"{name}-library"
    call(kgen, "generate", work / name / f"{name}.yaml", "-o", folder, "--quiet")
    program = work / f"{name}-kgen"
    call("cc", "-std=c11", "-O2", "-I", folder, f"-DLIBRARY={name}", f'-DLIBRARY_HEADER="{name}.h"', HERE / "silero.c", folder / f"{name}.c",
         *sorted((folder / "objects").glob("*.o")), "-o", program)
    return program


def native(work, header):
    """The program silero_onnxruntime.c with the library of the npm package."""
    folder = next((work / "node_modules/onnxruntime-node/bin").glob("napi-v*/linux/x64"))
    call("cc", "-std=c11", "-O2", "-I", header, HERE / "silero_onnxruntime.c", folder / "libonnxruntime.so.1", f"-Wl,-rpath,{folder}", "-o", work / "silero-native")
    return work / "silero-native"


class Contestant:
    """A program that has written its results, and runs all frames once more for each line that it gets."""

    def __init__(self, results, *command):
        self.results = results
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.name = self.process.stdout.readline().strip()
        self.times = []
        if not self.name:
            sys.exit(f"{command[0]} has failed")

    def round(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.times.append(float(self.process.stdout.readline()))

    def close(self):
        self.process.stdin.close()
        if self.process.wait():
            sys.exit(f"{self.name} has failed")


def largest_differences(mine, theirs, width):
    """Of results; of states, and their largest magnitude; and the results."""
    a, b = (numpy.fromfile(path, numpy.float32).reshape(-1, width).astype(float) for path in (mine, theirs))
    if a.shape != b.shape or not numpy.isfinite(a).all():
        return numpy.inf, numpy.inf, 1.0, b[:, 0]
    return abs(a - b)[:, 0].max(), abs(a - b)[:, 1:].max(), abs(b[:, 1:]).max(), b[:, 0]


def compare(options, work, version, file, rate, frame, before, states):
    frames = work / f"{rate}.f32"
    sound(rate, frame * options.frames).tofile(frames)
    program = library(options.kgen, work, version, file, rate, frame + before, states)
    path = lambda name: work / f"{version}-{rate}-{name}.f32"
    mine = Contestant(path("kgen"), program, frames, path("kgen"), frame, before)
    model = work / "models" / file
    theirs = [Contestant(path("node"), "node", HERE / "silero.js", work, model, frames, path("node"), frame, before, rate)]
    if options.header:
        theirs.append(Contestant(path("native"), native(work, options.header), model, frames, path("native"), frame, before, rate))
    for _ in range(options.rounds):
        for contestant in (mine, *theirs):
            contestant.round()
    rows = []
    for other in theirs:
        result, state, largest, heard = largest_differences(mine.results, other.results, 1 + sum(2 * size for size in states.values()))
        ratios = sorted(b / a for a, b in zip(mine.times, other.times))
        rows.append({"model": version, "rate": rate, "variant": mine.name, "peer": other.name, "frames": len(heard),
                     "lowest": float(heard.min()), "highest": float(heard.max()), "result_difference": float(result),
                     "state_difference": float(state), "state_magnitude": float(largest),
                     "kgen_us": statistics.median(mine.times), "peer_us": statistics.median(other.times), "ratio": statistics.median(ratios),
                     "ratios": [ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]]})
    for contestant in (mine, *theirs):
        contestant.close()
    return rows


def module(kgen, work, name, *dims):
    """The Python module of version 5 at 16 kHz with these sizes, and its folder."""
    spec, folder, build = work / f"{name}-spec", work / f"{name}-library", work / f"{name}-build"
    call(kgen, "import", work / "models/silero_vad_v5.onnx", "-o", spec, "--library", name, "--quiet", "--force", "--value", "sr=16000", "--dim", "input:1=576",
         *(part for dim in dims for part in ("--dim", dim)))
    call(kgen, "generate", spec / f"{name}.yaml", "-o", folder, "--quiet", "--python")
    call("cmake", "-S", folder, "-B", build, "-DBUILD_SHARED_LIBS=ON", stdout=subprocess.DEVNULL)
    call("cmake", "--build", build, stdout=subprocess.DEVNULL)
    sys.path.insert(0, str(build))
    return importlib.import_module(name).load(), folder


def several_streams(kgen, work, frames):
    """One library for 1 to 4 streams: a size for the batch of all inputs, and each stream hears what it would hear alone."""
    streams, folder = module(kgen, work, "streams", "input:0=batch", "state:1=batch", "batch=1..4")
    alone, _ = module(kgen, work, "alone", "input:0=1", "state:1=1")
    header = (folder / "streams.h").read_text()
    sizes = re.findall(r"size_t (\w+)", re.search(r"streams_run\((.*?)\)", header, re.DOTALL)[1])
    good = sizes == ["batch", "workspace_size"]
    print(f"sizes of streams_run: {sizes}")
    heard = sound(16000, 512 * (frames + 40))
    for count in range(1, 5):
        states, single = numpy.zeros((2, count, 128), numpy.float32), [numpy.zeros((2, 1, 128), numpy.float32)] * count
        result = state = largest = 0
        for frame in range(frames):
            x = numpy.stack([heard[512 * (frame + 10 * i):][:576] for i in range(count)])
            y, states = streams.run(x, states)
            for i in range(count):
                expected, single[i] = alone.run(x[i:i + 1], single[i])
                result, state = max(result, abs(y[i] - expected[0]).max()), max(state, abs(states[:, i] - single[i][:, 0]).max())
                largest = max(largest, abs(single[i]).max())
        print(f"{count} streams, {frames} frames: largest difference from each alone {result:.1e}, of states up to {largest:.1f} {state:.1e}")
        good = good and max(result, state / largest) <= TOLERANCE
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgen", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument("--streams", action="store_true")
    parser.add_argument("--header", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.kgen, work = options.kgen.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    packages(work, options.streams)
    good = several_streams(options.kgen, work, options.frames)
    if options.streams:
        return not good
    rows = [row for model in MODELS for row in compare(options, work, *model)]
    print("model  rate  frames         results  difference  of states up to      kgen      peer  ratio (tenths)          against")
    for r in rows:
        print(f"{r['model']:5} {r['rate']:5} {r['frames']:7}  {r['lowest']:.3f} to {r['highest']:.3f} {r['result_difference']:11.1e} {r['state_difference']:10.1e}"
              f" {r['state_magnitude']:5.1f} {r['kgen_us']:6.1f} us {r['peer_us']:6.1f} us {r['ratio']:6.2f} ({r['ratios'][0]:5.2f} to {r['ratios'][1]:5.2f})"
              f"  {r['peer']}")
    print(f"one thread each, {options.rounds} rounds in turns, {rows[0]['variant']}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")
    return not good or not all(max(r["result_difference"], r["state_difference"] / r["state_magnitude"]) <= TOLERANCE and r["ratio"] >= SPEED for r in rows)


if __name__ == "__main__":
    sys.exit(main())
