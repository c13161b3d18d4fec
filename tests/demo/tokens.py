"""The decoder of specs/graphs/gpt.yaml with one layer and 97 words: the program of demo/tokens on it, and what prefill and step make of the state.

  tokens.py KGEN WORK_FOLDER CC [--layers N] [--words N]
"""
import argparse
import importlib
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS, WORDS, WIDTH, CONTEXT = 12, 50257, 768, 1024


def require(holds, what):
    if not holds:
        sys.exit(f"does not hold: {what}")


def reduced(text, layers, words):
    """The spec with its first layers only, and fewer words."""
    def is_kept(part):
        number = re.search(r"\b(?:new_)?(?:keys|values)(\d+)\b", part)
        return not number or int(number[1]) < layers
    # A node may be several lines long.
    parts = re.split(r"(?m)^(?= *[-\w])(?!        )", text)
    kept = "".join(part for part in parts if is_kept(part))
    require(layers == LAYERS or f"layer{layers}" not in kept.replace(f"layer{LAYERS - 1}", ""), "other layers are gone")
    return kept.replace(f"[layer{LAYERS - 1}, ", f"[layer{layers - 1}, ").replace(str(WORDS), str(words))


def call(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_program(options):
    """Words as they come are those that reading all words again gives."""
    work = options.work
    objects = sorted((work / "gpt/objects").glob("*.o"))
    call(options.cc, "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-Igpt", ROOT / "demo/tokens/tokens.c", "gpt/gpt.c", *objects, "-lm", "-o", "tokens", cwd=work)
    for said, prompt in ((12, 5), (1, 1), (3, 40)):
        text = call(work / "tokens", said, prompt)
        require(f"{said} of {said} tokens are the same" in text and f"{prompt} words read in " in text, text)
        rows = [line.rsplit("   ", 1)[0] for line in text.splitlines() if line.startswith(" ")]
        require(sum(len(row.split()) for row in rows) == said and re.search(r"\d tokens a second with state, \d+\.\d by reading all", text), text)
    for wrong in (["0"], ["1", "0"], ["1024", "1"], ["2000"]):
        done = subprocess.run([work / "tokens", *wrong], capture_output=True, text=True)
        require(done.returncode == 2 and "together at most 1024" in done.stderr, f"{wrong}: {done}")


def check_state(options, numpy):
    """Any split of a text gives the logits of the whole; calls change nothing but new rows and the length."""
    gpt = importlib.import_module("gpt").load()
    draw = numpy.random.default_rng(1)
    text = draw.integers(0, options.words, 21)
    whole = gpt.State()
    expected = gpt.prefill(text, whole)
    for split in range(len(text)):
        state = gpt.State()
        if split:
            gpt.prefill(text[:split], state)
        if split % 2:
            logits = gpt.prefill(text[split:], state)
        else:
            for word in text[split:]:
                logits = gpt.step(numpy.array([word]), state)
        require(abs(logits - expected).max() <= 1e-5 * abs(expected).max(), f"split at {split}: {abs(logits - expected).max()}")
        require(state["length"] == len(text), "the length")
        for name in ("keys0", "values0"):
            require(abs(state[name] - whole[name]).max() <= 1e-5 * abs(whole[name]).max(), name)
    before = {t: whole[t] for t in ("keys0", "values0")}
    for count, read in ((1, lambda: gpt.step(text[:1], whole)), (7, lambda: gpt.prefill(text[:7], whole))):
        length = int(whole["length"])
        read()
        for name, was in before.items():
            now = whole[name]
            changed = numpy.flatnonzero((now != was).any(axis=(0, 2)))
            require(changed.min() >= length and changed.max() < length + count, f"{name} changes in {changed}")
            before[name] = now
        require(whole["length"] == length + count, "the length")
    # A call beyond the last place changes nothing.
    whole["length"] = CONTEXT - 3
    block = whole.tobytes()
    for beyond in (lambda: gpt.prefill(text[:4], whole), lambda: gpt.prefill(text, whole)):
        try:
            beyond()
            require(False, "an error")
        except importlib.import_module("gpt").Error as error:
            require("STATE_FULL" in str(error), error)
        require(whole.tobytes() == block, "the block is as it was")
    gpt.prefill(text[:3], whole)
    require(whole["length"] == CONTEXT, "full")
    # Two sessions in turns are two alone.
    sessions = [gpt.State(), gpt.State()]
    turns = [[gpt.step(numpy.array([(word + i) % options.words]), s) for i, s in enumerate(sessions)] for word in text]
    for i in range(2):
        alone = gpt.State()
        require(all((gpt.step(numpy.array([(word + i) % options.words]), alone) == turn[i]).all() for word, turn in zip(text, turns)), "a session alone")
        require(alone.tobytes() == sessions[i].tobytes(), "its block")


def check_sizes(options, numpy):
    """The same with blocks for contexts of any length, in turns."""
    text = (options.work / "gpt.yaml").read_text()
    text = text.replace("dims: {count: {max: 1024}}", "dims: {count: {max: 16}, context: {min: 16, max: 1024}}")
    text = re.sub(r'(?m)^(  \w+: "f32\[1, )1024, 768', r"\1context, 768", text).replace("library: gpt", "library: gpt_sizes")
    (options.work / "gpt_sizes.yaml").write_text(text)
    make(options, "gpt_sizes")
    gpt, sizes = (importlib.import_module(name).load() for name in ("gpt", "gpt_sizes"))
    text = numpy.random.default_rng(3).integers(0, options.words, 40)
    for context in (16, 23, 40):
        fixed, state, other = gpt.State(), sizes.State(context=context), sizes.State(context=1024)
        require(state.sizes == {"context": context} and state["keys0"].shape == (1, context, WIDTH), "the sizes of a block")
        at = 0
        while at < context:
            words = text[at:at + 1 if at % 3 else min(at + 5, context)]
            call = (lambda net, block: net.step(words, block)) if len(words) == 1 else (lambda net, block: net.prefill(words, block))
            expected = call(gpt, fixed)
            for block in (state, other):
                require(abs(call(sizes, block) - expected).max() <= 1e-5 * abs(expected).max(), f"logits after {at} words of {context}")
            at += len(words)
            state = sizes.State(state.tobytes())
        for name in ("keys0", "values0"):
            require(abs(state[name] - fixed[name][:, :context]).max() <= 1e-5 * abs(fixed[name]).max(), name)
        block = state.tobytes()
        for beyond in (lambda: sizes.prefill(text[:1], state), lambda: sizes.step(text[:1], state)):
            try:
                beyond()
                require(False, "an error")
            except importlib.import_module("gpt_sizes").Error as error:
                require("STATE_FULL" in str(error), error)
            require(state.tobytes() == block and state["length"] == context, "the block is as it was")


def make(options, name):
    """Generates a spec of the folder, and makes a shared library for Python."""
    call(options.kgen, "generate", options.work / f"{name}.yaml", "-o", options.work / name, "--python", "-q", "--target", "x86-64-v2", "--target", "x86-64-v3")
    objects = sorted((options.work / name / "objects").glob("*.o"))
    call(options.cc, "-O1", "-shared", "-fPIC", f"-I{name}", f"{name}/{name}.c", *objects, "-o", f"{name}/lib{name}.so", cwd=options.work)
    sys.path.insert(0, str(options.work / name))


def main():
    parser = argparse.ArgumentParser()
    for name in ("kgen", "work", "cc"):
        parser.add_argument(name, type=pathlib.Path if name == "work" else str)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--words", type=int, default=97)
    options = parser.parse_args()
    try:
        import numpy
    except ImportError:
        return 77
    options.work = options.work.resolve()
    shutil.rmtree(options.work, ignore_errors=True)
    shutil.copytree(ROOT / "specs/graphs/modules", options.work / "modules")
    spec = options.work / "gpt.yaml"
    text = (ROOT / "specs/graphs/gpt.yaml").read_text()
    require(reduced(text, LAYERS, WORDS) == text, "nothing is left out of the whole")
    spec.write_text(reduced(text, options.layers, options.words))
    make(options, "gpt")
    check_program(options)
    check_state(options, numpy)
    check_sizes(options, numpy)
    # Against plain loops, state carried on.
    draw = numpy.random.default_rng(2)
    numpy.savez(options.work / "step.npz", text=draw.integers(0, options.words, (4, 1)))
    call(options.kgen, "verify", spec, "--graph", "step", "--against", options.work / "step.npz", "--frames", "--target", "x86-64-v3")
    return 0


if __name__ == "__main__":
    sys.exit(main())
