"""Networks with state next to the same ones with inputs and outputs in its place, over many frames, in C, C++ and Python.

  frames.py KGEN WORK_FOLDER CC CXX [--frames N] [--models FOLDER] [--decoder] [--time]

The bits are the same in each frame; two sessions in turns are two alone; what one variant has left another one continues (frames.c).
Of --models, silero VAD is one more network, imported with and without --state; with --decoder, a step of a decoder. With --time, microseconds of a call of both forms.
"""
import argparse
import importlib
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def denoiser():
    """Gains of 40 bands of a frame, by two GRUs."""
    weights = {"w1": "f32[1, 144, 40]", "r1": "f32[1, 144, 48]", "b1": "f32[1, 288]", "w2": "f32[1, 108, 48]", "r2": "f32[1, 108, 36]", "b2": "f32[1, 216]",
               "w3": "f32[36, 40]"}
    nodes = ['{op: GRU, inputs: [x, w1, r1, b1, "", h1], outputs: [y1, n1], attributes: {linear_before_reset: 1}}',
             "{op: Squeeze, inputs: [y1, one], outputs: [s1]}",
             '{op: GRU, inputs: [s1, w2, r2, b2, "", h2], outputs: [y2, n2], attributes: {linear_before_reset: 1}}',
             "{op: Squeeze, inputs: [y2, one], outputs: [s2]}",
             "{op: MatMul, inputs: [s2, w3], outputs: [z]}", "{op: Sigmoid, inputs: [z], outputs: [gains]}", "{op: Mul, inputs: [gains, x], outputs: [y]}"]
    return {"x": "f32[1, 1, 40]"}, {"h1": ("f32[1, 1, 48]", "n1"), "h2": ("f32[1, 1, 36]", "n2")}, weights, {"one": "i64[1], value: [1]"}, nodes, ["y"]


def causal():
    """Convolutions over time, each of which keeps the last samples before the frame; dilations 1, 2 and 4."""
    weights, states, nodes, previous = {}, {}, [], "x"
    for i, dilation in enumerate((1, 2, 4)):
        kept = 2 * dilation
        weights[f"w{i}"] = f"f32[12, {3 if i == 0 else 12}, 3]"
        states[f"past{i}"] = (f"f32[1, {3 if i == 0 else 12}, {kept}]", f"next{i}")
        nodes += [f"{{op: Concat, inputs: [past{i}, {previous}], outputs: [all{i}], attributes: {{axis: 2}}}}",
                  f"{{op: Slice, inputs: [all{i}, from{i}, end, axis], outputs: [next{i}]}}",
                  f"{{op: Conv, inputs: [all{i}, w{i}], outputs: [c{i}], attributes: {{dilations: [{dilation}]}}}}",
                  f"{{op: Tanh, inputs: [c{i}], outputs: [y{i}]}}"]
        previous = f"y{i}"
    constants = {"end": "i64[1], value: [1000]", "axis": "i64[1], value: [2]", **{f"from{i}": f"i64[1], value: [{-2 << i}]" for i in range(3)}}
    return {"x": "f32[1, 3, 5]"}, states, weights, constants, nodes, ["y2"]


def write(folder, name, network):
    """The specs of both forms."""
    inputs, states, weights, constants, nodes, outputs = network
    for form in ("state", "explicit"):
        taken = {**inputs, **({s: t for s, (t, _) in states.items()} if form == "explicit" else {})}
        given = outputs + ([after for _, after in states.values()] if form == "explicit" else [])
        lines = [f"library: {name}_{form}", "targets: [x86-64-v2, x86-64-v3, x86-64-v4]", "graphs:", "  - name: run", "    inputs:"]
        lines += [f'      {n}: "{t}"' for n, t in taken.items()]
        if form == "state":
            lines += ["    state:"] + [f'      {n}: "{t}"' for n, (t, _) in states.items()]
            lines += ["    updates: {" + ", ".join(f"{n}: {after}" for n, (_, after) in states.items()) + "}"]
        lines += ["    weights:"] + [f'      {n}: {{type: "{t}", random: {{seed: {i + 1}}}}}' for i, (n, t) in enumerate(weights.items())]
        lines += [f'      {n}: {{type: "{t.split(", ")[0]}", {t.split(", ", 1)[1]}}}' for n, t in constants.items()]
        lines += ["    nodes:"] + [f"      - {node}" for node in nodes] + [f"    outputs: [{', '.join(given)}]"]
        (folder / f"{name}_{form}.yaml").write_text("\n".join(lines) + "\n")


def decoder(folder, layers=1, words=97):
    """The specs of both forms of a step of specs/graphs/gpt.yaml with its first layers, and fewer words."""
    import yaml
    sys.path.insert(0, str(ROOT / "tests/demo"))
    import tokens
    spec = yaml.safe_load(tokens.reduced((ROOT / "specs/graphs/gpt.yaml").read_text(), layers, words))
    step = spec["graphs"][1]
    spec = {**spec, "graphs": [step], "targets": ["x86-64-v2", "x86-64-v3", "x86-64-v4"], "include": [str(ROOT / "specs/graphs/modules/transformer.yaml")]}
    del spec["dims"]
    (folder / "decoder_state.yaml").write_text(yaml.safe_dump({**spec, "library": "decoder_state"}, sort_keys=False))
    states, updates = spec.pop("state"), step.pop("updates")
    step["inputs"] = {**step["inputs"], **states}
    step["outputs"] = step["outputs"] + [updates[name] for name in states]
    (folder / "decoder_explicit.yaml").write_text(yaml.safe_dump({**spec, "library": "decoder_explicit"}, sort_keys=False))


def call(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Comparison:
    def __init__(self, options):
        self.options, self.work = options, options.work
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def make(self, name):
        """Generates both forms, whose specs lie in the folder, and a shared library of each for Python."""
        for form in ("state", "explicit"):
            library = f"{name}_{form}"
            call(self.options.kgen, "generate", f"{library}.yaml", "-o", library, "--python", "-q", cwd=self.work)
            objects = sorted((self.work / library / "objects").glob("*.o"))
            call(self.options.cc, "-O1", "-shared", "-fPIC", f"-I{library}", f"{library}/{library}.c", *objects, "-o", f"{library}/lib{library}.so", cwd=self.work)

    def compile(self, name, compiler, *flags):
        program = self.work / f"{name}-{pathlib.Path(compiler).name}"
        libraries = [f"{name}_state", f"{name}_explicit"]
        made = []
        for library in libraries: # C, whatever compiles the program
            call(self.options.cc, "-std=c11", "-O2", f"-I{library}", "-c", f"{library}/{library}.c", "-o", f"{library}.o", cwd=self.work)
            made += [f"{library}.o", *sorted((self.work / library / "objects").glob("*.o"))]
        call(compiler, *flags, "-O2", "-Wall", "-Wextra", "-Werror", *(f"-I{library}" for library in libraries), f"-DSTATE={libraries[0]}",
             f"-DEXPLICIT={libraries[1]}", f"-DI64={libraries[0].upper()}_TYPE_I64", f'-DHEADER_OF_STATE="{libraries[0]}.h"', f'-DHEADER_OF_EXPLICIT="{libraries[1]}.h"', HERE / "frames.c",
             "-x", "none", *made, "-o", program, cwd=self.work)
        return program

    def compare(self, name):
        self.make(name)
        for compiler, flags in ((self.options.cc, ["-std=c11"]), (self.options.cxx, ["-std=c++17", "-x", "c++"])):
            program = self.compile(name, compiler, *flags)
            answer = call(program, self.options.frames, cwd=self.work)
            if answer != "right\n":
                sys.exit(f"{program}: {answer}")
            print(f"{name}, {pathlib.Path(compiler).name}: the same bits over {self.options.frames} frames")
            if self.options.time:
                print(f"{name}: {call(program, self.options.frames, 'time', cwd=self.work)}", end="")
        self.compare_python(name)

    def compare_python(self, name):
        try:
            import numpy
        except ImportError:
            return print("no numpy: no comparison in Python")
        sys.path[:0] = [str(self.work / f"{name}_{form}") for form in ("state", "explicit")]
        modules = [importlib.import_module(f"{name}_{form}") for form in ("state", "explicit")]
        net, plain = (module.load() for module in modules)
        draw = numpy.random.default_rng(1)
        (name_of_graph, own), = ((function, table.inputs) for function, table in modules[0].FUNCTIONS.items())
        states = modules[1].FUNCTIONS[name_of_graph].inputs[len(own):]
        sessions = [(net.State(), [numpy.zeros(tensor.shape, tensor.dtype) for tensor in states]) for _ in range(2)]
        for frame in range(self.options.frames):
            for i, (state, carried) in enumerate(sessions):
                heard = [draw.uniform(-1, 1, t.shape).astype(t.dtype) if t.dtype == numpy.float32 else draw.integers(0, 97, t.shape) for t in own]
                answer = getattr(plain, name_of_graph)(*heard, *carried)
                sessions[i] = (state, list(answer[-len(states):]))
                mine = getattr(net, name_of_graph)(*heard, state)
                same = all(numpy.array_equal(a, b) for a, b in zip(mine if isinstance(mine, tuple) else [mine], answer))
                if not same or not all(numpy.array_equal(state[t.name], b) for t, b in zip(states, sessions[i][1])):
                    sys.exit(f"{name} in Python: frame {frame} of session {i} differs")
        print(f"{name}, Python: the same bits over {self.options.frames} frames")


def silero(comparison, model):
    for form, options in (("state", ["--state", "state=stateN"]), ("explicit", [])):
        call(comparison.options.kgen, "import", model, "-o", f"silero_{form}-spec", "--library", f"silero_{form}", "--dim", "input:0=1", "--dim", "input:1=576",
             "--dim", "state:1=1", "--value", "sr=16000", "--target", "x86-64-v2,x86-64-v3,x86-64-v4", *options, cwd=comparison.work)
        for file in (comparison.work / f"silero_{form}-spec").iterdir():
            file.rename(comparison.work / file.name)


def main():
    parser = argparse.ArgumentParser()
    for name in ("kgen", "work", "cc", "cxx"):
        parser.add_argument(name, type=pathlib.Path if name == "work" else str)
    parser.add_argument("--frames", type=int, default=1000)
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--decoder", action="store_true")
    options = parser.parse_args()
    options.work = options.work.resolve()
    comparison = Comparison(options)
    for name, network in (("denoiser", denoiser()), ("causal", causal())):
        write(comparison.work, name, network)
        comparison.compare(name)
    if options.decoder:
        decoder(comparison.work)
        comparison.compare("decoder")
    model = options.models and options.models.resolve() / "silero_vad_v5.onnx"
    if model and model.exists():
        silero(comparison, model)
        comparison.compare("silero")
    else:
        print("without silero, which sh demo/voice/run.sh fetches")


main()
