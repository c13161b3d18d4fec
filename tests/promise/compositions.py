"""Compositions of the everyday pieces of networks: what `kgen check` accepts compiles and is right.

    compositions.py KGEN WORK [--seed N] [--pairs N] [--triples N] [--all] [--only TEXT]

All pairs, or `--pairs` of them, and so many triples; each with fixed sizes and with one, two and all sizes open, of f32 and of bf16 or f16.
Without a seed it is that of the day. `--only` repeats what a failure is called, such as `linear+clip/n,t/bf16/7`. Without numpy it is
skipped (77)."""
import argparse
import collections
import contextlib
import datetime
import itertools
import os
import random
import re
import shutil
import sys
import time
from pathlib import Path

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy)")
    sys.exit(77)

import image_pieces  # noqa: F401
import libraries
from composed import Composed
from pieces import PIECES, to_image, to_rows

TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
OTHERS = ["x86-64-v3-vnni", "x86-64-v4-vnni", "x86-64-v4-bf16", "x86-64-v4-fp16", "x86-64-v4-amx", "zen4", "zen5"]
# The greatest sizes that may be given: code for many tasks is not that for few.
BOUNDS = [{"n": 3, "t": 9, "h": 10, "w": 9}, {"n": 64, "t": 512, "h": 128, "w": 160}]
FIXED = {"n": [1, 2, 3], "t": [1, 5, 7, 16, 130], "h": [1, 5, 8, 9, 40], "w": [1, 6, 8, 10, 33]}
CHANNELS = [4, 8, 12, 16, 20, 24, 32, 64]
CALLS = [{"n": 1, "t": 1, "h": 1, "w": 1}, {"n": 2, "t": 7, "h": 5, "w": 8}, {"n": 3, "t": 9, "h": 10, "w": 9}]
OPEN = {"rows": [[], ["n"], ["t"], ["n", "t"]], "image": [[], ["n"], ["h"], ["w"], ["n", "h"], ["h", "w"], ["n", "h", "w"]]}
GRAPHS = 20  # in a library: linking and starting kgen is then a small part


class Composition:
    """Pieces one after the other, which sizes are parameters, the type, and the seed of all numbers."""

    def __init__(self, pieces, opened, type, seed):
        self.pieces, self.opened, self.type, self.seed = pieces, opened, type, seed

    @staticmethod
    def of(text):
        pieces, opened, type, seed = text.split("/")
        return Composition(pieces.split("+"), [size for size in opened.split(",") if size], type, int(seed))

    def __str__(self):
        return f"{'+'.join(self.pieces)}/{','.join(self.opened)}/{self.type}/{self.seed}"

    def smaller(self):
        """The same with a piece less, or a parameter less."""
        if len(self.pieces) > 1:
            for i in range(len(self.pieces)):
                pieces = self.pieces[:i] + self.pieces[i + 1:]
                if form_of(pieces, self.seed) == form_of(self.pieces, self.seed):
                    yield Composition(pieces, self.opened, self.type, self.seed)
        for size in self.opened:
            yield Composition(self.pieces, [other for other in self.opened if other != size], self.type, self.seed)

    def graph(self, name):
        rng = random.Random(self.seed)
        numbers, bounds = {size: rng.choice(some) for size, some in FIXED.items()}, rng.choice(BOUNDS)
        fixed = {size: number for size, number in numbers.items() if size not in self.opened}
        graph = Composed(name, self.type, fixed, {size: most for size, most in bounds.items() if size in self.opened}, self.seed)
        channels = rng.choice(CHANNELS)
        names = "nt" if form_of(self.pieces, self.seed) == "rows" else "nhw"
        shape = [graph.size(size) for size in names]
        x = graph.input(shape + [channels], "rows") if len(names) == 2 else graph.input([shape[0], channels, *shape[1:]], "image")
        for piece in self.pieces:
            form, function = PIECES[piece]
            if form != "any" and form != x.form:
                x = to_rows(graph, x) if form == "rows" else to_image(graph, x)
            x = function(graph, x)
            # Some graphs give out what is between pieces, too.
            graph.outputs = [*(graph.outputs if self.seed % 5 == 0 else []), x]
        return graph


def form_of(pieces, seed):
    """Of the input: that of the first piece that has one."""
    return next((PIECES[piece][0] for piece in pieces if PIECES[piece][0] != "any"), ["rows", "image"][seed % 2])


def compositions(rng, pairs, triples):
    """Pairs, each with every number of open sizes and both types in turn, and triples."""
    all_pairs = list(itertools.product(PIECES, repeat=2))
    chosen = all_pairs if pairs is None else rng.sample(all_pairs, pairs)
    chosen = [list(pair) for pair in chosen] + [[rng.choice(list(PIECES)) for _ in range(3)] for _ in range(triples)]
    for pieces in chosen:
        seed = rng.randrange(1000000)
        opened = OPEN[form_of(pieces, seed)]
        count = rng.choice(sorted({len(sizes) for sizes in opened}))
        narrow = ["bf16", "f16"][seed // 2 % 2]
        yield Composition(pieces, rng.choice([sizes for sizes in opened if len(sizes) == count]), rng.choice(["f32", narrow]), seed)


class Table:
    """What became of the compositions, in libraries below `work`."""

    def __init__(self, kgen, work, compiler):
        self.kgen, self.work, self.compiler = kgen, work, compiler
        self.refused, self.failed, self.number = {}, {}, 0
        self.seconds = collections.Counter()

    def library(self, compositions, targets, options):
        """The compositions that are accepted, with their graphs, and the library's folder."""
        self.number += 1
        folder = self.work / str(self.number)
        folder.mkdir(parents=True)
        spec = folder / f"{libraries.NAME}.yaml"
        graphs = [(one, one.graph(f"g{i}")) for i, one in enumerate(compositions)]
        while graphs:
            text, lines = text_of(graphs, targets)
            spec.write_text(text)
            reasons = libraries.refused(self.kgen, spec, lines)
            self.refused.update((graphs[i][0], reason) for i, reason in reasons.items())
            if not reasons:
                break
            graphs = [pair for i, pair in enumerate(graphs) if i not in reasons]
        if graphs:
            # Ten times what the slowest graphs take, so that what never ends is found.
            libraries.generate(self.kgen, spec, folder / "out", 20 + 5 * len(graphs) * len(targets), *options)
        return graphs, folder

    def failures(self, compositions, targets, options):
        """Pairs of compositions and what is wrong with them. A library that does not compile is halved until a graph is alone."""
        try:
            with self.measured("kgen"):
                graphs, folder = self.library(compositions, targets, options)
            if not graphs:
                return []
            with self.measured("cc"):
                library = libraries.linked(folder / "out", self.compiler)
        except libraries.Failure as failure:
            if len(compositions) == 1:
                return [(compositions[0], str(failure))]
            named = {int(number) for number in re.findall(r"\bg(\d+)\b", str(failure))}
            parts = [[one] for i, one in enumerate(compositions) if i in named] or [compositions[:len(compositions) // 2]]
            rest = [one for one in compositions if all(one not in part for part in parts)]
            return [found for part in parts + [rest] if part for found in self.failures(part, targets, options)]
        with self.measured("numpy"):
            found = [(one, message) for one, graph in graphs for message in [wrong(one, graph, library)] if message]
        shutil.rmtree(folder)
        return found

    def attempt(self, compositions, targets, *options):
        """Compiles, compares, and prints what fails with the fewest pieces and parameters that fail."""
        for one, message in self.failures(compositions, targets, options):
            self.failed[one] = message
            print(f"FAILED {one} [{' '.join([*targets, *options])}]: {message.splitlines()[0]}", flush=True)
            least, message = self.shrunk(one, message, targets, options)
            print(f"  at least {least}: {message.splitlines()[0]}\n{text_of([(least, least.graph('g0'))], targets)[0]}", flush=True)

    def shrunk(self, one, message, targets, options):
        for smaller in one.smaller():
            for _, found in self.failures([smaller], targets, options):
                return self.shrunk(smaller, found, targets, options)
        return one, message

    @contextlib.contextmanager
    def measured(self, what):
        """Adds up CPU time, that of children too."""
        begin = os.times()
        try:
            yield
        finally:
            self.seconds[what] += sum(os.times()[:4]) - sum(begin[:4])


def text_of(graphs, targets):
    return libraries.spec_of([graph for _, graph in graphs], targets)


def wrong(one, graph, library):
    """What is wrong with the results of a graph; nothing if they are right."""
    for sizes in CALLS if one.opened else CALLS[:1]:
        arrays = graph.arrays(sizes, np.random.default_rng(one.seed))
        wanted = graph.expected(arrays)
        limits = graph.limits(arrays, wanted)
        for variant in libraries.variants(library):
            context = libraries.context_of(library, variant)
            numbers = [sizes[name] for name in graph.bounds]
            found = libraries.call(library, context, graph, numbers, arrays, [array.shape for array in wanted])
            for x, right, array, limit in zip(graph.outputs, wanted, found, limits):
                apart = np.abs(array - right).max(initial=0)
                if not apart <= limit:
                    return f"{variant}, {sizes if one.opened else ''}: {x.name} is {apart:.3g} from numpy, {limit:.3g} allowed"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kgen")
    parser.add_argument("work", type=Path)
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--pairs", type=int, help="how many; all without it")
    parser.add_argument("--triples", type=int, default=0)
    parser.add_argument("--others", type=int, default=0, help="how many libraries are made for the targets beyond the levels, too")
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    rng = random.Random(options.seed)
    print(f"seed {options.seed}, {len(PIECES)} pieces", flush=True)
    chosen = [Composition.of(text) for text in options.only] if options.only else list(compositions(rng, options.pairs, options.triples))
    table = Table(options.kgen, options.work, os.environ.get("CC", "cc"))
    for number, first in enumerate(range(0, len(chosen), GRAPHS)):
        part = chosen[first:first + GRAPHS]
        turns = [[TARGETS, []]] if options.only else [[[TARGETS[number % 3]], []]]
        if options.only or number % 8 == 0:
            turns.append([["x86-64-v3"], ["--reference"]])
        if options.only or number < options.others:
            turns.append([OTHERS, []])
        for targets, words in turns:
            table.attempt([one for one in part if one not in table.refused and one not in table.failed], targets, *words)
    # Without what differs from graph to graph: names, types, numbers of dimensions.
    reasons = collections.Counter(re.sub(r" '\w+'|, \w+\[[^\]]*\],| \d+\b", "", table.refused[one]) for one in chosen if one in table.refused)
    for reason, count in reasons.most_common():
        print(f"refused {count}: {reason}")
    print(f"{len(chosen)} compositions: {reasons.total()} refused, {len(table.failed)} failed; "
          f"CPU seconds: {', '.join(f'{what} {seconds:.0f}' for what, seconds in table.seconds.items())}")
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
