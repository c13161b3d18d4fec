"""Pixel shuffles by reshapes and a transposition beside the operators: pixel_shuffle.py KGEN FOLDER

The objects of both must be the same to the last byte, for each target: there is nothing to recognize where both are the same access of memory.
"""
import subprocess
import sys
from pathlib import Path

TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
BATCH, CHANNELS, ROWS, COLUMNS = 2, 3, 5, 7


def depth_to_space(mode):
    def forms(block):
        deep = [BATCH, CHANNELS * block * block, ROWS, COLUMNS]
        first = [BATCH, CHANNELS, block, block, ROWS, COLUMNS] if mode == "CRD" else [BATCH, block, block, CHANNELS, ROWS, COLUMNS]
        perm = [0, 1, 4, 2, 5, 3] if mode == "CRD" else [0, 3, 4, 1, 5, 2]
        last = [BATCH, CHANNELS, ROWS * block, COLUMNS * block]
        return deep, f"{{op: DepthToSpace, inputs: [x], outputs: [y], attributes: {{blocksize: {block}, mode: {mode}}}}}", first, perm, last

    return forms


def space_to_depth(block):
    first = [BATCH, CHANNELS, ROWS, block, COLUMNS, block]
    wide = [BATCH, CHANNELS, ROWS * block, COLUMNS * block]
    last = [BATCH, CHANNELS * block * block, ROWS, COLUMNS]
    return wide, f"{{op: SpaceToDepth, inputs: [x], outputs: [y], attributes: {{blocksize: {block}}}}}", first, [0, 3, 5, 1, 2, 4], last


FORMS = {"crd": depth_to_space("CRD"), "dcr": depth_to_space("DCR"), "space_to_depth": space_to_depth}


def spec(element, shape, weights, nodes):
    lines = ["library: pixels", f"targets: [{', '.join(TARGETS)}]", "graphs:", "- name: shuffled", f'  inputs: {{x: "{element}{shape}"}}']
    lines += ["  weights:"] + [f'    {name}: {{type: "i64[{len(value)}]", value: {value}}}' for name, value in weights.items()] if weights else []
    return "\n".join(lines + ["  nodes:"] + [f"  - {node}" for node in nodes] + ["  outputs: [y]"]) + "\n"


def objects(kgen, folder, name, text):
    path = folder / f"{name}.yaml"
    path.write_text(text)
    done = subprocess.run([kgen, "generate", path, "-q", "-o", folder / name], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{path}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return {each.name: each.read_bytes() for each in (folder / name / "objects").glob("*.o")}


def main():
    kgen, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, forms in FORMS.items():
        for element, block in (("f32", 2), ("f32", 3), ("bf16", 2), ("i8", 4)):
            shape, operator, first, perm, last = forms(block)
            spelled = ["{name: apart, op: Reshape, inputs: [x, first]}", f"{{name: turned, op: Transpose, inputs: [apart], attributes: {{perm: {perm}}}}}",
                       "{name: y, op: Reshape, inputs: [turned, last]}"]
            case = f"{name}_{element}_{block}"
            composed = objects(kgen, folder, f"{case}_operator", spec(element, shape, {}, [operator]))
            apart = objects(kgen, folder, f"{case}_spelled", spec(element, shape, {"first": first, "last": last}, spelled))
            assert len(composed) >= len(TARGETS), f"{case}: objects {sorted(composed)}"
            differ = [each for each in composed if composed[each] != apart.get(each)]
            assert not differ and set(composed) == set(apart), f"{case}: other code in {differ}; files {sorted(composed)} and {sorted(apart)}"
            print(f"{case}: {len(composed)} objects are the same")


main()
