#!/usr/bin/env python3
"""Random models of ONNX against numpy.

    fuzz_models.py KGEN WORK operators|graphs COUNT [--seed N] [--first I] [--only OP] [--batch N]
    fuzz_models.py KGEN WORK kept FOLDER

`operators` have one node with legal attributes, inputs and types; `graphs` have 5 to 40. Model I of a seed is always the same one; without --seed, it
is the date. Models are compiled for x86-64-v2, -v3, -v4 and as plain loops, in turn, many in one library. Prints the seed, how many are right and
refused, and why. Exits 1 if one is wrong or fails, or is refused with a message that docs/ONNX.md does not list. Its shrunk form is left in WORK as
JSON, to be kept in tests/fuzz/models/kept, whose models `kept` checks.
Without python3-onnx or numpy it is skipped (77)."""
import argparse
import collections
import datetime
import pathlib
import re
import sys
import time

try:
    import numpy as np
    import onnx  # noqa: F401
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-onnx)")
    sys.exit(77)

import draw as drawing
import elementwise  # noqa: F401
import control  # noqa: F401
import moving  # noqa: F401
import products  # noqa: F401
import recurrent  # noqa: F401
import reducing  # noqa: F401
import windows  # noqa: F401
from library import Outcome, Runner
from model import Refused, from_json, to_json

TARGETS = ["x86-64-v3", "reference", "x86-64-v2", "x86-64-v4"]


def has_avx512():
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return all(f" {name}" in flags for name in ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"))


def operator_model(seed, number, only=None):
    """Model `number` of a seed: each operator comes in turn."""
    names = sorted(drawing.GENERATORS) if not only else [only]
    rng = np.random.default_rng([seed, 1, number])
    order = np.random.default_rng([seed, 1, number // len(names) + (1 << 40)]).permutation(len(names))
    name = names[int(order[number % len(names)])]
    draw = drawing.Draw(rng)
    while True:
        try:
            with np.errstate(all="ignore"):
                model = drawing.GENERATORS[name](draw, name)
            break
        except (Refused, RecursionError):
            continue
    model.note = f"seed {seed}, operator {number}: {name}"
    return model


def graph_model(seed, number, only=None):
    import networks
    return networks.random_model(seed, number)


MAKERS = {"operators": operator_model, "graphs": graph_model}


def batches(models, size):
    names = list(models)
    for start in range(0, len(names), size):
        yield {name: models[name] for name in names[start:start + size]}


def check(kgen, work, models, size, targets):
    """Outcomes by name; each batch is for the next target."""
    outcomes = {}
    for number, batch in enumerate(batches(models, size)):
        target = targets[number % len(targets)]
        found = Runner(kgen, pathlib.Path(work) / f"batch{number}", target).outcomes(batch)
        for name, outcome in found.items():
            outcome.target = target
        outcomes.update(found)
    return outcomes


def documented():
    """The messages that docs/ONNX.md lists: what is refused with another one is missing there."""
    page = pathlib.Path(__file__).resolve().parents[3] / "docs/ONNX.md"
    table = page.read_text().split("| message | why |")[1].split("\n\n")[0]
    return re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)


def report(models, outcomes, work, kgen, shrinks):
    count = collections.Counter(outcome.kind for outcome in outcomes.values())
    refused = collections.Counter(outcome.text for outcome in outcomes.values() if outcome.kind == "refused")
    unknown = 0
    for text, number in refused.most_common():
        is_known = any(message in text for message in documented())
        unknown += 0 if is_known else number
        print(f"  {number:4} refused: {text}" + ("" if is_known else " (docs/ONNX.md does not list this message)"))
    for name, outcome in outcomes.items():
        if outcome.kind in ("wrong", "failed"):
            model = models[name]
            if shrinks:
                import shrink
                model, outcome = shrink.shrunk(model, outcome, lambda m: Runner(kgen, work / "shrink", outcome.target).outcomes({"m": m})["m"])
            (work / f"{name}.json").write_text(to_json(model))
            nodes = ", ".join(f"{n.op}{n.attributes}" for n in model.nodes)[:300]
            print(f"{model.note} for {getattr(outcome, 'target', '')}: {outcome}\n    {nodes}; opset {model.opset}; "
                  f"{ {k: (a.element, list(a.shape)) for k, a in model.inputs.items()} } constants { {k: (a.element, list(a.shape)) for k, a in model.constants.items()} }")
    text = ", ".join(f"{count[kind]} {kind}" for kind in ("right", "refused", "wrong", "failed"))
    print(f"{len(models)} models: {text}", flush=True)
    return 0 if not count["wrong"] and not count["failed"] and not unknown else 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgen")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("kind", choices=["operators", "graphs", "kept"])
    parser.add_argument("count", help="a number, or the folder of kept models")
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--target", action="append")
    parser.add_argument("--no-shrink", action="store_true")
    return parser.parse_args()


def main():
    given = arguments()
    kgen = str(pathlib.Path(given.kgen).resolve())
    given.work = given.work.resolve()
    given.work.mkdir(parents=True, exist_ok=True)
    targets = given.target or [t for t in TARGETS if t != "x86-64-v4" or has_avx512()]
    if given.kind == "kept":
        models = {path.stem.replace("-", "_"): from_json(path.read_text()) for path in sorted(pathlib.Path(given.count).glob("*.json"))}
        result = 0
        for target in targets:
            outcomes = check(kgen, given.work / target, models, len(models), [target])
            outcomes = {name: Outcome("failed", o.text) if o.kind == "refused" else o for name, o in outcomes.items()}
            result |= report(models, outcomes, given.work, kgen, False)
        return result
    start = time.time()
    print(f"seed {given.seed}", flush=True)
    models = {f"m{i}": MAKERS[given.kind](given.seed, i, given.only) for i in range(given.first, given.first + int(given.count))}
    made = time.time()
    outcomes = check(kgen, given.work, models, given.batch, targets)
    print(f"made in {made - start:.1f} s, checked in {time.time() - made:.1f} s")
    return report(models, outcomes, given.work, kgen, not given.no_shrink)


if __name__ == "__main__":
    sys.exit(main())
