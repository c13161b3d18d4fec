"""Runs networks on a foreign architecture under its emulator: foreign.py KGEN WORK TARGET CC EMULATOR... [-- NAME...]

Each network is compiled for the target and linked by the cross compiler CC; what it computes under the emulator is compared with the plain
loops of this machine. A few networks in every run, others each day; all of them in the long tests. Outputs of floats differ by less than
the precision of their type allows after sums in another order; of bytes, one in a hundred may differ by one.
"""
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import share  # noqa: E402
import write
from built import generate, in_parallel, run
from graphs import NETWORKS

HERE = pathlib.Path(__file__).resolve().parent
PLAIN = "x86-64-v2"
EACH_RUN = 8
SIZE = 13  # of what is known at run time
INTEGERS = {"i8": np.int8, "u8": np.uint8, "i32": np.int32, "i64": np.int64, "bool": np.uint8, "i16": np.int16, "u16": np.uint16,
            "u32": np.uint32, "u64": np.uint64}
# Of the largest value: sums of a few hundred products in another order, and then some layers.
TOLERANCES = {"f32": 1e-3, "f64": 1e-9, "f16": 2e-2, "bf16": 6e-2}


def program(cc, folder, manifest):
    """The program that calls functions of a generated folder."""
    name = manifest["library"]
    path = folder.parent / f"{folder.name}-program"
    sized = ["-DSIZED"] if any(graph.get("dims") for graph in manifest["graphs"]) else []
    run([cc, "-static", "-O1", "-o", path, f"-I{folder}", "-include", "stdlib.h", "-include", f"{name}.h", f"-DLIBRARY={name}", *sized,
         HERE / "foreign.c", HERE / "call.c", folder / f"{name}.c", *sorted(folder.glob("objects/*.o"))])
    return path


def outputs(command, index, variant, graph):
    """The bytes of each output."""
    types = " ".join(tensor["type"].split("[")[0] for tensor in graph["inputs"]) + " "
    done = subprocess.run([*command, str(index), variant, types, str(SIZE)], capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{graph['name']} for {variant}: exit code {done.returncode} {done.stderr.decode()}")
    bytes_, parts = done.stdout, []
    while bytes_:
        size = int.from_bytes(bytes_[:8], "little")
        parts.append(bytes_[8:8 + size])
        bytes_ = bytes_[8 + size:]
    return parts


def numbers(bytes_, kind):
    if kind in INTEGERS:
        return np.frombuffer(bytes_, INTEGERS[kind]).astype(np.float64)
    if kind == "bf16":
        return (np.frombuffer(bytes_, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return np.frombuffer(bytes_, {"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind]).astype(np.float64)


def difference(kind, ours, plain):
    """What is wrong with an output, or an empty text."""
    if np.array_equal(np.isnan(ours), np.isnan(plain)) and np.array_equal(ours[~np.isnan(ours)], plain[~np.isnan(plain)]):
        return ""
    apart = np.abs(ours - plain)
    if kind in ("i8", "u8"):
        return "" if apart.max() <= 1 and np.mean(apart > 0) <= 0.01 else f"bytes differ by up to {apart.max():g}"
    if kind in INTEGERS:
        return f"{np.count_nonzero(apart)} of {apart.size} integers differ"
    largest = max(np.abs(plain).max(), np.finfo(np.float32).tiny)
    error = apart.max() / largest
    return "" if error <= TOLERANCES[kind] else f"an error of {error:.1e} of the largest value"


def main():
    words, names = sys.argv[1:], []
    if "--" in words:
        words, names = words[:words.index("--")], words[words.index("--") + 1:]
    kgen, work, target, cc, emulator = words[0], pathlib.Path(words[1]), words[2], words[3], words[4:]
    names = names or share.today(len(NETWORKS) // EACH_RUN, sorted(NETWORKS))
    work.mkdir(parents=True, exist_ok=True)
    spec = work / "networks.yaml"
    names = write.write(spec, names)
    ours, plain = (generate(kgen, spec, work / folder, [name], *options)
                   for folder, name, options in (("foreign", target, []), ("plain", PLAIN, ["--reference"])))
    program_ours, program_plain = program(cc, work / "foreign", ours), program("cc", work / "plain", plain)

    def compare(item):
        index, graph = item
        there = outputs([*emulator, program_ours], index, target, graph)
        here = outputs([program_plain], index, PLAIN, graph)
        if list(map(len, there)) != list(map(len, here)) or len(here) != len(graph["outputs"]):
            return [f"{graph['name']}: outputs have other sizes"]
        found = []
        for tensor, of_target, of_plain in zip(graph["outputs"], there, here):
            kind = tensor["type"].split("[")[0]
            wrong = difference(kind, numbers(of_target, kind), numbers(of_plain, kind))
            if wrong:
                found.append(f"{graph['name']}, {tensor['name']}: {wrong}")
        return found

    found = sum(in_parallel(compare, list(enumerate(ours["graphs"]))), [])
    print("\n".join(found) or f"{len(names)} networks on {target}: right")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
