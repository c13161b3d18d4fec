"""Caches that `_state_init` leaves as they are: those whose rows are read only where calls have written them, and no others.
Usage: state_unwritten.py KGEN WORK"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def replaced(old, new):
    return lambda text: text.replace(old, new) if old in text else sys.exit(f"nothing is like {old!r}")


def graph(inputs, weights, nodes, updates, output):
    """One more graph."""
    return lambda text: f"""{text.rstrip()}
  - name: more
    inputs: {{{inputs}}}
    weights: {{{weights}}}
    nodes:
      - {nodes}
    updates: {{{updates}}}
    outputs: [{output}]
"""


def present(end):
    """Of 37 rows, those before `end` are computed with."""
    def change(text):
        text = text.replace("2, 36, 8]", "2, 37, 8]").replace("value: [36]", "value: [37]")
        text = replaced("past_capacity:", f'past_end: {{type: "i64[1]", value: [{end}]}}\n      past_capacity:')(text)
        return replaced("[past_next, past_start, past_after, past_axis]", "[past_next, past_start, past_end, past_axis]")(text)
    return change


def scattered(place, update="x"):
    """The rows are written at a position in place of between slices."""
    def change(text):
        nodes = [f"      - {{name: at, op: Reshape, inputs: [{place}, past_axes]}}",
                 f"      - {{name: past_next, op: TensorScatter, inputs: [past, {update}, at], attributes: {{axis: 2}}}}"]
        kept = [line for line in text.splitlines() if not re.search(r"name: past_(before|rest|next),|past_(filled|capacity): .*\[(past_length|36)\]", line)]
        at = next(i for i, line in enumerate(kept) if "name: present" in line)
        first = next(i for i, line in enumerate(kept) if "past_start:" in line)
        more = ["      past_axes: {type: \"i64[1]\", value: [1]}", "      unit: {type: \"i64[]\", value: 1}"]
        if place == "later":
            nodes.insert(0, "      - {name: later, op: Add, inputs: [length, unit]}")
        return "\n".join(kept[:first] + more[:1 if place != "later" else 2] + kept[first:at] + nodes + kept[at:]) + "\n"
    return change


ONE = 'unit: {type: "i64[]", value: 1}'
CASES = {
    "rows between slices": (True, lambda text: text),
    "rows at the length": (True, scattered("length")),
    "rows after a gap": (False, scattered("later")),
    "a length that begins with 1": (False, replaced('length: "i64[]"', 'length: {type: "i64[]", init: 1}')),
    "a cache that begins with 1": (False, replaced('past: "f32[1, 2, 36, 8]"', 'past: {type: "f32[1, 2, 36, 8]", init: 1}')),
    "more than the rows": (False, replaced("value: rows}", "value: rows + 1}")),
    "fewer than the rows": (True, replaced("value: rows}", "value: 1}")),
    "a row too many is read": (False, present("past_length + rows + 1")),
    "a row fewer is read": (True, present("past_length + rows - 1")),
    "peek reads a row too many": (False, replaced("filled: {type: \"i64[1]\", value: [past_length]}\n      all", "filled: {type: \"i64[1]\", value: [past_length + 1]}\n      all")),
    "the rest is computed with": (False, replaced("{name: y, op: MatMul, inputs: [shares, present]}",
        "{name: z, op: MatMul, inputs: [shares, present]}\n      - {name: seen, op: ReduceSum, inputs: [past_rest, past_axis]}\n      - {name: y, op: Add, inputs: [z, seen]}")),
    "the cache is an output": (False, replaced("outputs: [y]\n  - name: peek", "outputs: [y, past_next]\n  - name: peek")),
    "the rest comes first": (False, replaced("[past_before, x, past_rest]", "[past_rest, past_before, x]")),
    "another graph reads all": (False, graph("", 'axes: {type: "i64[1]", value: [2]}', "{name: y, op: ReduceSum, inputs: [past, axes]}", "", "y")),
    "another graph reads three rows": (False, graph("", 's: {type: "i64[1]", value: [0]}, e: {type: "i64[1]", value: [3]}, a: {type: "i64[1]", value: [2]}',
                                                    "{name: y, op: Slice, inputs: [past, s, e, a]}", "", "y")),
    "another graph counts": (False, graph("", ONE, "{name: y, op: Add, inputs: [length, unit]}", "length: y", "y")),
    "another graph takes back": (True, graph("", "", "{name: y, op: Sub, inputs: [length, length]}", "length: y", "y")),
    "another graph sets": (False, graph('n: "i64[]"', "", "{name: y, op: Add, inputs: [n, n]}", "length: y", "y")),
    "another graph writes all": (True, graph('x: "f32[1, 2, 36, 8]"', "", "{name: y, op: Neg, inputs: [x]}", "past: y", "y")),
    "another graph moves all": (False, graph('x: "f32[1, 2, 36, 8]"', "", "{name: y, op: Add, inputs: [x, past]}", "past: y", "y")),
}


def main():
    kgen, work = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    with open(f"{HERE}/state_length.yaml") as file:
        text = file.read()
    failed = 0
    for number, (name, (isUnwritten, change)) in enumerate(CASES.items()):
        path = f"{work}/{number}.yaml"
        with open(path, "w") as file:
            file.write(change(text))
        subprocess.run([kgen, "generate", path, "-o", f"{work}/{number}", "-q", "--target", "x86-64-v2"], check=True)
        with open(f"{work}/{number}/held.h") as file:
            found = "writes the block but past, read only where calls have written" in file.read()
        with open(f"{work}/{number}/held.c") as file:
            whole = "  memset(state, 0, HELD_STATE_SIZE);\n" in file.read()
        if found != isUnwritten or whole == isUnwritten:
            print(f"{path}: {name}: expected {'' if isUnwritten else 'not '}to be left as it is")
            failed += 1
    print(f"{len(CASES)} cases, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
