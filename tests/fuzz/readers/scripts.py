"""Schedules and transform scripts from grammars: most lines make sense by themselves, few of them together."""
import names
import seeds

SHAPES = {"MatMul": '{name: f, inputs: {x: "f32[8, 16]", w: "f32[16, 8]"}, nodes: [{name: y, op: MatMul, inputs: [x, w]SCHEDULE}], outputs: [y]}',
          "Add": '{name: f, inputs: {x: "f32[8, 16]", w: "f32[16]"}, nodes: [{name: y, op: Add, inputs: [x, w]SCHEDULE}], outputs: [y]}',
          "Softmax": '{name: f, inputs: {x: "f32[6, 20]"}, nodes: [{name: y, op: Softmax, inputs: [x]SCHEDULE}], outputs: [y]}',
          "ReduceSum": '{name: f, inputs: {x: "f32[8, 24]"}, nodes: [{name: y, op: ReduceSum, inputs: [x], attributes: {axes: [1]}SCHEDULE}], outputs: [y]}',
          "Conv": '{name: f, inputs: {x: "f32[1, 4, 9, 9]", w: "f32[8, 4, 3, 3]"}, nodes: [{name: y, op: Conv, inputs: [x, w]SCHEDULE}], outputs: [y]}',
          "Transpose": '{name: f, inputs: {x: "f32[9, 12]"}, nodes: [{name: y, op: Transpose, inputs: [x]SCHEDULE}], outputs: [y]}'}
GOOD, BAD = ["1", "2", "2", "4", "4", "8", "8", "8", "16"], ["0", "-1", "3", "5", "64", "4096", "1000000007", "depth", "m", "1.5", "9223372036854775807", "all", "[4, 8]"]
LOOPS = ["m", "n", "k", "b", "y", "x", "f", "u", "q"]
OPERANDS = ["lhs", "rhs", "out", "in0", "in1", "x"]


def mostly(rng, good, bad, rarely=0.06):
    """One of the good words, now and then one of the bad ones."""
    return rng.choice(bad if rng.random() < rarely else good)


def some(rng, good, bad, value, most=2):
    words = {mostly(rng, good, bad): value() for _ in range(rng.randint(0, most))}
    return "{" + ", ".join(f"{key}: {text}" for key, text in words.items()) + "}"


def loop(rng):
    size = lambda: mostly(rng, GOOD, BAD)
    keep = lambda: some(rng, ["lhs", "rhs", "out"], OPERANDS, lambda: mostly(rng, ["L1", "L2"], ["L3", "x", "1"]))
    if rng.random() < 0.5:
        words = ["forall: " + mostly(rng, ["block", "core"], ["task"]), *(f"{one}: {size()}" for one in ("m", "n"))]
        words += [f"{mostly(rng, ['b'], LOOPS)}: {size()}"] if rng.random() < 0.1 else []
    else:
        words = ["for: " + mostly(rng, ["k"], LOOPS), "step: " + size()]
        words += ["buffers: " + mostly(rng, ["1", "2"], BAD)] if rng.random() < 0.2 else []
    return "{" + ", ".join(words + (["keep: " + keep()] if rng.random() < 0.4 else [])) + "}"


def schedule(rng):
    size, whole = lambda: mostly(rng, GOOD, BAD), lambda: mostly(rng, ["4", "8", "8"], BAD)
    sizes = lambda: some(rng, ["m", "n"], LOOPS, size)
    words = []
    if rng.random() < 0.2:
        words.append("match: " + rng.choice(["MatMul", "Add", "Softmax", "{op: MatMul}", '{nodes: ["*"]}', '{where: "m >= 8 and type == f32"}', '{where: "k % 0 == 0"}', "{targets: [x86-64-v3]}",
                                             '{op: MatMul, nodes: [y], where: "n == 8"}', "{where: 5}"]))
    if rng.random() < 0.15:
        words.append("parameters: " + some(rng, ["depth"], ["m", "x"], size))
    if rng.random() < 0.35:
        words.append("nest: [" + ", ".join(loop(rng) for _ in range(rng.randint(1, 4))) + "]")
        words += rng.sample(["tiles: {m: %s, n: %s, k: %s}" % (whole(), whole(), whole()), "layout: " + some(rng, ["lhs"], OPERANDS, lambda: mostly(rng, ["kmmk", "mkmk"], ["nkkn", "mk", "kk", ""])),
                             "ragged: " + mostly(rng, ["pad", "split"], ["x"]), "fuse: " + mostly(rng, ["epilogue"], ["x"])], rng.choice([0, 0, 1, 2]))
    else:
        choices = ["tasks: " + sizes(), "caches: " + sizes(), "registers: " + some(rng, ["m", "n"], LOOPS, size), "unroll: " + mostly(rng, ["1", "2", "4", "all"], BAD),
                   "non_temporal: " + mostly(rng, ["true", "false"], ["1"]), "layout: " + mostly(rng, ["{rhs: packed}", "{rhs: plain}"], ["{lhs: packed}", "{rhs: x}"]),
                   "provider: " + mostly(rng, ["vector", "vector", "xsmm", "amx", "templates"], ["x"])]
        words += rng.sample(choices, rng.choice([1, 1, 1, 2, 3]))
    text = "{" + ", ".join(words) + "}"
    return seeds.changed_text(rng, text) if rng.random() < 0.1 else text


def spec(rng, schedules, names_it=True):
    graph = SHAPES[rng.choice(list(SHAPES))].replace("SCHEDULE", ", schedule: s" if names_it else "")
    target = rng.choice(["x86-64-v2", "x86-64-v3", "x86-64-v3", "x86-64-v4"])
    return f"library: tiny\ntargets: [{target}]\nschedules:\n{schedules}graphs:\n- {graph}\n"


def of_schedules(rng, number):
    lines = "".join(f"  {name}: {schedule(rng)}\n" for name in (["s"] if rng.random() < 0.8 else ["s", "r"]))
    command = ["simulate", "s.yaml", "--machine", "array-2x2"] if number % 5 == 0 else ["generate", "s.yaml", "-o", "out", "-q"]
    return seeds.Case({"s.yaml": spec(rng, lines, rng.random() < 0.8)}, command)


ANY, PARAM = "!transform.any_op", "!transform.param<i64>"
OPS = ["linalg.generic", "linalg.fill", "linalg.matmul", "linalg.pack", "tensor.pad", "tensor.empty", "scf.for", "scf.forall", "arith.constant", "func.return", "func.func", "tensor.extract_slice"]


class Script:
    """Operations one after another, with the handles that there are so far."""

    def __init__(self, rng):
        self.rng, self.count, self.ops, self.params, self.lines = rng, 0, ["%f"], [], []

    def new(self, many=1, to=None):
        fresh = [f"%v{self.count + i}" for i in range(many)]
        self.count += many
        (self.ops if to is None else to).extend(fresh)
        return ", ".join(fresh)

    def op(self):
        """The newest ones are of most use; some are consumed already."""
        return self.rng.choice(self.ops[-4:] if self.rng.random() < 0.8 else self.ops)

    def size(self):
        return self.rng.choice(["0", "1", "2", "4", "4", "8", "16", "-1", "1000000"])

    def sizes(self, most=3):
        return [self.size() for _ in range(self.rng.randint(1, most))]

    def add(self, text):
        self.lines.append("    " + text)

    def step(self, depth=0):
        makers = [self.match] * 4 + [self.tile] * 3 + [self.tile_forall, self.fuse, self.fuse_into, self.pad, self.pack, self.split, self.generalize, self.interchange, self.unroll, self.peel, self.coalesce,
                                     self.hoist, self.clean, self.clean, self.patterns, self.run_pass, self.merge, self.split_handle, self.replicate, self.relatives, self.annotate, self.param, self.reduction,
                                     self.select, self.cast, self.greedy, self.transpose, self.assume]
        if depth < 2:
            makers += [self.foreach]
        maker = self.rng.choice(makers)
        maker(depth) if maker == self.foreach else maker()

    def match(self):
        of, what = self.op() if self.rng.random() < 0.3 else "%f", self.rng.choice(OPS)
        how = f'ops{{["{what}"]}}' if self.rng.random() < 0.8 else "interface{" + self.rng.choice(["LinalgOp", "TilingInterface", "LoopLikeInterface"]) + "}"
        self.add(f"{self.new()} = transform.structured.match {how} in {of} : ({ANY}) -> {ANY}")

    def tile(self):
        sizes, of = self.sizes(), self.op()
        results = 1 + sum(size != "0" for size in sizes)
        self.add(f"{self.new(results)} = transform.structured.tile_using_for {of} tile_sizes [{', '.join(sizes)}] : ({ANY}) -> ({', '.join([ANY] * results)})")

    def tile_forall(self):
        of, sizes = self.op(), ", ".join(self.sizes())
        what = self.rng.choice(["tile_sizes", "num_threads"])
        mapping = self.rng.choice(["", " (mapping = [#gpu.block<x>])", " (mapping = [#gpu.thread<y>, #gpu.thread<x>])"])
        self.add(f"{self.new(2)} = transform.structured.tile_using_forall {of} {what} [{sizes}]{mapping} : ({ANY}) -> ({ANY}, {ANY})")

    def fuse(self):
        sizes, of = self.sizes(), self.op()
        results = 1 + sum(size != "0" for size in sizes)
        self.add(f"{self.new(results)} = transform.structured.fuse {of} tile_sizes [{', '.join(sizes)}] : ({ANY}) -> ({', '.join([ANY] * results)})")

    def fuse_into(self):
        of, into = self.op(), self.op()
        self.add(f"{self.new(2)} = transform.structured.fuse_into_containing_op {of} into {into} : ({ANY}, {ANY}) -> ({ANY}, {ANY})")

    def reduction(self):
        of, sizes = self.op(), self.sizes()
        results = 3 + len([size for size in sizes if size != "0"])
        self.add(f"{self.new(results)} = transform.structured.tile_reduction_using_for {of} by tile_sizes = [{', '.join(sizes)}] : ({ANY}) -> ({', '.join([ANY] * results)})")

    def pad(self):
        of, dims = self.op(), ", ".join(str(self.rng.randint(-1, 3)) for _ in range(self.rng.randint(0, 3)))
        values = ", ".join(self.rng.choice(["0.0 : f32", "0.0 : f32", "0 : i32", "1.0 : f16"]) for _ in range(self.rng.randint(0, 3)))
        back = self.rng.choice(["none", "linalg.copy", "bufferization.materialize_in_destination", "x"])
        self.add(f'{self.new(3)} = transform.structured.pad {of} {{padding_values = [{values}], padding_dimensions = [{dims}], nofold_flags = [1, 0], copy_back_op = "{back}"}} : ({ANY}) -> ({ANY}, {ANY}, {ANY})')

    def pack(self):
        of, sizes = self.op(), ", ".join(self.sizes())
        self.add(f"{self.new()} = transform.structured.pack {of} packed_sizes = [{sizes}] : ({ANY}) -> {ANY}")

    def greedy(self):
        of, sizes = self.op(), ", ".join(self.size() for _ in range(3))
        self.add(f"{self.new()} = transform.structured.pack_greedily {of} matmul_packed_sizes = [{sizes}] matmul_inner_dims_order = [{self.rng.choice(['1, 2, 0', '0, 1, 2', '0, 0, 1', '3, 1'])}] : ({ANY}) -> {ANY}")

    def transpose(self):
        one, other = self.op(), self.op()
        order = self.rng.choice(["0, 1", "1, 0", "0", "0, 0", "5, 1"])
        self.add(f"{self.new(3)} = transform.structured.pack_transpose {one} with_compute_op({other}) {self.rng.choice(['inner', 'outer'])}_perm = [{order}] : ({ANY}, {ANY}) -> ({ANY}, {ANY}, {ANY})")

    def split(self):
        of = self.op()
        self.add(f"{self.new()} = transform.structured.split {of} after {self.size()} {{dimension = {self.rng.randint(-1, 3)}}} : {ANY}")

    def generalize(self):
        of = self.op()
        self.add(f"{self.new()} = transform.structured.generalize {of} : ({ANY}) -> {ANY}")

    def interchange(self):
        of = self.op()
        self.add(f"{self.new()} = transform.structured.interchange {of} iterator_interchange = [{self.rng.choice(['1, 0', '0, 1', '2, 0, 1', '0, 0', '0', '7, 1'])}] : ({ANY}) -> {ANY}")

    def unroll(self):
        self.add(f"transform.loop.unroll {self.op()} {{factor = {self.rng.choice(['1', '2', '4', '64', '1000', '4294967297', '9223372036854775807'])}}} : {ANY}")

    def peel(self):
        of = self.op()
        self.add(f"{self.new(2)} = transform.loop.peel {of} : ({ANY}) -> ({ANY}, {ANY})")

    def coalesce(self):
        of = self.op()
        self.add(f"{self.new()} = transform.loop.coalesce {of} : ({ANY}) -> {ANY}")

    def hoist(self):
        self.add(f"transform.loop.hoist_loop_invariant_subsets {self.op()} : {ANY}")

    def assume(self):
        self.add(f"transform.scf.take_assumed_branch {self.op()} {self.rng.choice(['', 'take_else_branch'])} : ({ANY}) -> ()")

    def clean(self):
        self.add(f"transform.{self.rng.choice(['apply_cse', 'apply_dce', 'apply_licm'])} to {self.op() if self.rng.random() < 0.4 else '%f'} : {ANY}")

    def patterns(self):
        patterns = self.rng.sample(["canonicalization", "linalg.tiling_canonicalization", "scf.for_loop_canonicalization", "tensor.fold_tensor_empty", "tensor.merge_consecutive_insert_extract_slice",
                                    "tensor.fold_tensor_subset_ops", "linalg.erase_unnecessary_inputs"], self.rng.randint(1, 4))
        self.add(f"transform.apply_patterns to {self.op() if self.rng.random() < 0.4 else '%f'} {{ " + " ".join(f"transform.apply_patterns.{one}" for one in patterns) + f" }} : {ANY}")

    def run_pass(self):
        of = "%f" if self.rng.random() < 0.7 else self.op()
        name = self.rng.choice(["canonicalize", "cse", "kgen-vectorize", "kgen-lower-packs", "kgen-fuse-elementwise", "kgen-bufferize-tensors", "kgen-assign-memories", "kgen-x"])
        self.add(f'{self.new()} = transform.apply_registered_pass "{name}" to {of} : ({ANY}) -> {ANY}')

    def merge(self):
        handles = ", ".join(self.op() for _ in range(self.rng.choice([1, 2, 2, 3, 40])))
        self.add(f"{self.new()} = transform.merge_handles {self.rng.choice(['', 'deduplicate '])}{handles} : {ANY}")

    def split_handle(self):
        of, results = self.op(), self.rng.randint(1, 3)
        self.add(f"{self.new(results)} = transform.split_handle {of} : ({ANY}) -> ({', '.join([ANY] * results)})")

    def replicate(self):
        pattern, of = self.op(), self.op()
        self.add(f"{self.new()} = transform.replicate num({pattern}) {of} : {ANY}, {ANY}")

    def relatives(self):
        of = self.op()
        kind, words = self.rng.choice([("get_parent_op", '{deduplicate, nth_parent = %d}' % self.rng.randint(0, 3)), ("get_parent_op", '{op_name = "scf.for"}'), ("get_producer_of_operand", "[%d]"), ("get_consumers_of_result", "[%d]")])
        words = words % self.rng.randint(0, 2) if words == "[%d]" else words
        self.add(f"{self.new()} = transform.{kind} {of}{words if words[0] == '[' else ' ' + words} : ({ANY}) -> {ANY}")

    def select(self):
        of = self.op()
        self.add(f'{self.new()} = transform.select "{self.rng.choice(OPS)}" in {of} : ({ANY}) -> {ANY}')

    def cast(self):
        of = self.op()
        self.add(f"{self.new()} = transform.cast {of} : {ANY} to {ANY}")

    def param(self):
        self.add(f"{self.new(to=self.params)} = transform.param.constant {self.size()} : i64 -> {PARAM}")

    def annotate(self):
        name = self.rng.choice(["kgen.memory", "kgen.memory", "mapping", "sym_name", "function_type", "operandSegmentSizes", "x", names.word(self.rng).replace('"', "").replace("\\", "").replace("\n", "")])
        if not self.params or self.rng.random() < 0.3:
            self.add(f'transform.annotate {self.op()} "{name}" : {ANY}')
        else:
            self.add(f'transform.annotate {self.op()} "{name}" = {self.rng.choice(self.params)} : {ANY}, {PARAM}')

    def foreach(self, depth):
        of, before = self.op(), list(self.ops)
        self.add(f"transform.foreach {of} : {ANY} {{")
        self.add(f"^bb0(%a{depth}: {ANY}):")
        self.ops.append(f"%a{depth}")
        for _ in range(self.rng.randint(1, 4)):
            self.step(depth + 1)
        self.add("}")
        self.ops = before


def script(rng):
    body = Script(rng)
    body.match()
    for _ in range(rng.randint(1, 10)):
        body.step()
    readonly = " {transform.readonly}" if rng.random() < 0.5 else ""
    lines = ["module attributes {transform.with_named_sequence} {", f"  transform.named_sequence @__kgen_schedule_s(%f: {ANY}{readonly}) {{", *body.lines, "    transform.yield", "  }", "}"]
    text = "\n".join(lines) + "\n"
    return seeds.changed_text(rng, text) if rng.random() < 0.2 else text


def of_script(rng, _):
    return seeds.Case({"s.yaml": spec(rng, "  s: {script: s.mlir}\n"), "s.mlir": script(rng)}, ["generate", "s.yaml", "-o", "out", "-q"])


def readers():
    return {"script": of_script, "schedule": of_schedules}
