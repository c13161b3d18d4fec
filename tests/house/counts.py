"""Numbers and lists in documents are those of the tree: counts.py ROOT

Each check names a document, finds what it says, and compares it with what the sources have. Documents that are generated (docs/drift), lists of options
and keys (unit/spec, package) and tables that commands print have tests of their own.
"""
import re
import sys
from pathlib import Path

WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()
WORDS += ["thirteen", "fourteen", "fifteen", "sixteen"]


def number(text):
    """Of "five", "1,024" or "16"."""
    return WORDS.index(text.lower()) if text.lower() in WORDS else int(text.replace(",", ""))


class Tree:
    def __init__(self, root):
        self.root, self.problems, self.compared = root, [], 0

    def text(self, name):
        return (self.root / name).read_text()

    def words(self, name):
        """A document on one line."""
        return re.sub(r"\s+", " ", self.text(name))

    def find(self, name, pattern):
        """The groups of a pattern in a document; a blank in it is any space."""
        self.compared += 1
        found = re.search(pattern, self.words(name))
        if not found:
            self.problems.append(f"{name}: nothing is like '{pattern}' any more: change tests/house/counts.py with it")
        return found

    def count(self, name, pattern, there):
        """A document says how many there are."""
        found = self.find(name, pattern)
        if found and number(found[1]) != there:
            self.problems.append(f"{name}: says '{found[0]}', there are {there}")

    def same(self, name, what, says, there):
        """A document lists all of them."""
        self.compared += 1
        for one in sorted(set(there) - set(says)):
            self.problems.append(f"{name}: {what} lack '{one}'")
        for one in sorted(set(says) - set(there)):
            self.problems.append(f"{name}: {what} have '{one}', which there is not")

    def section(self, name, first, last="\n#"):
        """A document from a text to the next heading."""
        text = self.text(name)
        at = text.index(first) + len(first)
        end = text.find(last, at)
        return text[at:] if end < 0 else text[at:end]


def codes(text, pattern=r"[^`]+"):
    return re.findall(rf"`({pattern})`", text)


def first_cells(text):
    """The code in the first column of a table."""
    return [code for row in re.findall(r"^ *\| ([^|]*) \|", text, re.MULTILINE) for code in codes(row)]


def operators_and_networks(tree):
    operators = set(re.findall(r'^KGEN_EXAMPLE\("(\w+)"', tree.text("generator/ops/OperatorPages.def"), re.MULTILINE))
    tree.count("README.md", r"more than (\d+) of them \(`kgen ops`\)", len(operators) // 10 * 10)
    graphs = {line.split()[0] for line in tree.text("tests/networks/counts.txt").splitlines() if not line.startswith("#")}
    tree.count("tests/networks/README.md", r"More than (\d+) small graphs", len(graphs) // 10 * 10)
    specs = {path.stem for path in (tree.root / "specs/graphs").glob("*.yaml")} - {"digits", "matmuls", "mlp-3x1024", "quantized"}
    listed = tree.find("docs/README.md", r"networks at their published sizes: (.*?), and (attention) alone")
    if listed:
        names = [re.sub(r"\W", "", name).lower() for name in [*listed[1].split(", "), listed[2]]]
        there = {spec: next((name for name in names if name in re.sub(r"\W", "", spec)), None) for spec in specs}
        tree.same("docs/README.md", "networks", names, [there[spec] or spec for spec in specs])
    ratios = [float(text) for text in re.findall(r">(\d+\.\d\d) x<", tree.text("docs/networks.svg"))]
    tree.count("tests/bench/README.md", r"\((\w+) networks\)", len(ratios))
    speed = tree.find("README.md", r"(\d\.\d\d) to (\d\.\d\d) times that of oneDNN over networks")
    if speed and (float(speed[1]), float(speed[2])) != (min(ratios), max(ratios)):
        tree.problems.append(f"README.md: says '{speed[0]}', docs/networks.svg has {min(ratios)} to {max(ratios)}")


def runtime(tree):
    table = re.findall(r"^\| [\w -]+ \| (f32|bytes) \| [\w-]+ \| [\d.]+ \| [\d.]+ \| (\d+\.\d\d) \|$", tree.text("docs/Compared.md"), re.MULTILINE)
    for type, pattern in (("f32", r"(\d\.\d\d) to (\d\.\d\d) times that of onnxruntime"), ("bytes", r"f32, (\d\.\d\d) to (\d\.\d\d) times over networks of bytes")):
        ratios = [float(ratio) for one, ratio in table if one == type]
        said = tree.find("README.md", pattern)
        if said and (float(said[1]), float(said[2])) != (min(ratios), max(ratios)):
            tree.problems.append(f"README.md: says '{said[0]}', docs/Compared.md has {min(ratios)} to {max(ratios)}")
    tree.count("docs/Compared.md", r"(\w+) networks of f32 and of bytes", len(table))
    peers = re.findall(r">(\d\.\d\d) x<", tree.text("docs/networks.svg"))
    said = tree.find("docs/Compared.md", r"picture below: (\d\.\d\d) to (\d\.\d\d)")
    if said and [said[1], said[2]] != [min(peers), max(peers)]:
        tree.problems.append(f"docs/Compared.md: says '{said[0]}', docs/networks.svg has {min(peers)} to {max(peers)}")


def aliases(tree):
    """docs/Moving.md lists all that is accepted for a release."""
    old = re.findall(r'^KGEN_RENAMED_(?:FLAG|STAGE)\("([\w-]+)"', "".join(path.read_text() for path in sorted((tree.root / "generator").rglob("Renamed*.def"))),
                     re.MULTILINE)
    keys = [key for path in (tree.root / "generator").rglob("*.cpp") for key in re.findall(r'\{"(\w+)", Kind::renamed,', path.read_text())]
    kinds = re.findall(r'Kind::optional, \w+, \w+, "(\w+)"\}', tree.text("generator/target/TargetSpec.cpp"))
    listed = first_cells(tree.section("docs/Moving.md", "## What still works, for this release", "\n\0"))
    tree.same("docs/Moving.md", "aliases", [name.removeprefix("--") for name in listed], old + keys + kinds)


def conformance(tree):
    """The sums of the table of suites."""
    suites = re.findall(r"^\| [\w-]+ \| (\d+) \| \d+ \| (\d+) \| (\d+) \|$", tree.text("docs/ONNX-Conformance.md"), re.MULTILINE)
    passed, wrong, all = (sum(map(int, column)) for column in zip(*suites))
    for page, pattern in (("README.md", r"(\d+) of the ([\d,]+) tests of the standard pass; the others are refused"),
                          ("docs/Overview.md", r"(\d+) of the standard's ([\d,]+) tests pass"), ("docs/Compared.md", r"(\d+) of ONNX's ([\d,]+) tests")):
        said = tree.find(page, pattern)
        if said and (int(said[1]), int(said[2].replace(",", "")), wrong) != (passed, all, 0):
            tree.problems.append(f"{page}: says '{said[0]}', docs/ONNX-Conformance.md has {passed} of {all}, {wrong} wrong")
    newest = tree.find("generator/ingress/onnx/Model.cpp", r"newestOpset = (\d+)")
    if newest:
        tree.count("README.md", r"ONNX up to opset (\d+)", int(newest[1]))


def targets_and_types(tree):
    targets = {path.stem for path in (tree.root / "specs/targets").glob("*.yaml")}
    beyond = {name[len("x86-64-v4-"):] for name in targets if name.startswith("x86-64-v4-")}
    levels = tree.find("specs/README.md", r"levels beyond them \(([^)]*)\)")
    if levels:
        tree.same("specs/README.md", "levels", [code.lstrip("-") for code in codes(levels[1])], beyond)
    other = [path.stem for path in (tree.root / "specs/targets").glob("*.yaml") if "\ntriple: aarch64-" in path.read_text()]
    tree.same("docs/AArch64.md", "targets", set(first_cells(tree.text("docs/AArch64.md"))) & (targets | set(other)), other)
    features = tree.find("README.md", r"x86-64-v2 to AVX-512, ([\w, ]*)\)")
    if features:
        tree.same("README.md", "levels", features[1].lower().split(", "), beyond)
    types = re.findall(r'\{ElementType::\w+, "(\w+)"', tree.text("generator/support/TensorType.cpp"))
    tree.same("specs/README.md", "types", first_cells(tree.section("specs/README.md", "### Types\n", "\n`kgen ops` lists")), types)


def pipeline(tree):
    passes = tree.text("generator/pipeline/Pipeline.cpp")
    stages = [name for name in re.findall(r'constexpr Stage \w+\{"([\w-]+)"', passes)]
    main = [name for name in stages if not name.startswith("reference-")]
    cards = re.findall(r'^ +\{"([\w-]+)", "[^"]+\.",', tree.section("generator/pipeline/GpuPipeline.cpp", "ArrayRef<GpuStage> gpuStages()", "return"), re.MULTILINE)
    guarantees = first_cells(tree.section("generator/README.md", "## What a stage guarantees"))
    tree.same("generator/README.md", "stages' guarantees", guarantees, [*stages, *(f"gpu-{name}" for name in cards)])
    flags = tree.find("generator/README.md", r"each reading the output of the one before: (.*?); `--kgen-optimize`")
    if flags:
        tree.same("generator/README.md", "flags of stages", codes(flags[1]), [f"--kgen-{name}-stage" for name in main])
    listed = tree.find("docs/Coming-From.md", r"Stages are lists of passes: (.*?) \(\[")
    if listed:
        tree.same("docs/Coming-From.md", "stages", codes(listed[1]), main)
    lists = re.findall(r'^      \{"([\w-]+)",', tree.text("generator/pipeline/SubPipelines.cpp"), re.MULTILINE)
    short = tree.find("generator/README.md", r"short lists of passes that belong together \(`pipeline/SubPipelines.cpp`: (.*?)\)")
    if short:
        tree.same("generator/README.md", "lists of passes", codes(short[1]), [f"--kgen-{name}" for name in lists])
    for page in ("docs/rationale/idioms.md", "generator/README.md"):
        tree.count(page, r"at (\w+) points of the pipeline", passes.count("  addRaiseIdioms(pm, {"))
    tree.count("docs/rationale/idioms.md", r"One pass, (\w+) idioms", len(idioms(tree)))
    tree.count("docs/rationale/sizes.md", r"`kgen-resolve-sizes` runs (\w+) times", passes.count("createResolveSizesPass()"))
    tree.count("docs/rationale/tiling.md", r"It runs (\w+) times: for tasks", passes.count("createSelectTilingPass({"))


def idioms(tree):
    table = re.search(r"allIdioms\[\] = \{(.*?)\};", tree.text("generator/transforms/idioms/RaiseIdioms.cpp"), re.DOTALL)[1]
    names = re.findall(r'\{"([\w-]+)"', table)
    description = tree.section("generator/transforms/idioms/Passes.td", "| idiom | form of the code |", "Postcondition:")
    tree.same("generator/transforms/idioms/Passes.td", "places of idioms", first_cells(description), names)
    option = re.search(r"in this order: ([\w, -]*)", re.sub(r'"\s*"|\s+(?=\w)', " ", tree.text("generator/transforms/idioms/Passes.td")))
    tree.same("generator/transforms/idioms/Passes.td", "the option's idioms", re.split(r",\s*", option[1].strip()), names)
    return names


def strategies_and_providers(tree):
    folder = tree.root / "generator/transforms/vectorize"
    names = [name for path in folder.glob("*.cpp") for name in re.findall(r'VectorizationStrategy strategy\{\s*"([\w-]+)"', path.read_text())]
    table = tree.section("generator/transforms/vectorize/Passes.td", "| strategy | matches |", "\n\n")
    tree.same("generator/transforms/vectorize/Passes.td", "strategies", first_cells(table), names)
    backend = re.search(r"Provider \*const all\[\] = \{(.*?)\}", tree.text("generator/backend/x86/Backend.cpp"), re.DOTALL)[1]
    providers = re.findall(r"(\w+)Provider\(\)", backend)
    for page, pattern in (("docs/Glossary.md", r"\*\*provider\*\* \| (.*?) \|"), ("docs/Schedules.md", r"\| `provider` \| (.*?) \|"),
                          ("docs/rationale/schedules.md", None)):
        found = tree.find(page, pattern) if pattern else None
        if found:
            tree.same(page, "providers", codes(found[1], "vector|xsmm|amx|templates|[a-z]+"), providers)


def pages(tree):
    docs = {path.name for path in (tree.root / "docs").glob("*.md")}
    reachable = set(re.findall(r"\]\(([\w-]+\.md)", tree.text("docs/README.md") + tree.text("docs/Overview.md")))
    tree.same("docs/README.md", "pages", docs & (reachable | {"README.md"}), docs)
    rationale = {path.name for path in (tree.root / "docs/rationale").glob("*.md")}
    tree.same("docs/Rationale.md", "pages", re.findall(r"\]\(rationale/([\w-]+\.md)", tree.text("docs/Rationale.md")), rationale)
    commands = {name for path in (tree.root / "generator/tools").glob("*.cpp")
                for name in re.findall(r'add_subcommand\(\s*"(\w+)"', path.read_text())}
    tree.same("docs/README.md", "commands", set(re.findall(r"`?kgen (\w+)", tree.text("docs/README.md"))) & commands, commands)


def readers(tree):
    """Formats of data that Trust.md names, and the programs that change such files."""
    row = tree.find("docs/Trust.md", r"\| (models \(`.onnx`\).*?) \|")
    built = set(re.findall(r"[\w]+", tree.text("tests/fuzz/CMakeLists.txt")))
    fuzzed = {path.stem for path in (tree.root / "tests/fuzz").glob("*.cpp")} & built
    formats = set(re.findall(r"`\.(\w+)`", row[1])) if row else set()
    tree.same("tests/fuzz", "readers of what docs/Trust.md names", formats & fuzzed, formats)


def limits(tree):
    options = re.sub(r'"\s*"', "", tree.text("generator/templates/transforms/Passes.td"))
    for name, default in re.findall(r'"(max-[\w-]+)",\s*"unsigned",\s*"(\d+)"', options):
        value = int(default)
        found = tree.find("docs/Templates.md", rf"(\d[\d,]*)( MiB)? [^\d()]*\(`{name}`\)")
        if found and number(found[1]) * (2**20 if found[2] else 1) != value:
            tree.problems.append(f"docs/Templates.md: says '{found[0]}', the default is {value}")
    steps = tree.text("generator/transforms/schedule/ScriptSteps.h")
    for name, pattern in (("maxScriptOperations", r"more than (\d[\d,]*) operations of its node"), ("maxScriptSteps", r"more than (\d[\d,]*) steps")):
        power = int(re.search(rf"{name} = int64_t\(1\) << (\d+)", steps)[1])
        tree.count("docs/Schedules.md", pattern, 2**power)
        tree.count("generator/transforms/schedule/Passes.td", pattern, 2**power)
    versions = int(re.search(r"maxVersions = (\d+)", tree.text("generator/driver/load/Versions.cpp"))[1])
    tree.count("docs/Sizes.md", r"at most (\d+) a graph", versions)
    bits = int(re.search(r"maxTensorBytes = int64_t\(1\) << (\d+)", tree.text("generator/support/TensorLimits.h"))[1])
    for page in ("docs/Sizes.md", "docs/rationale/sizes.md"):
        tree.count(page, r"more than 2\^(\d+) bytes", bits)
    onnx = {name: int(re.search(rf"{name} = (\d+)", tree.text(f"generator/ingress/onnx/{path}"))[1])
            for name, path in (("maxIterations", "ConvertControl.cpp"), ("maxSpentNodes", "Importer.cpp"))}
    tree.count("docs/rationale/ingress.md", r"Limits \((\d+) iterations", onnx["maxIterations"])
    tree.count("docs/rationale/ingress.md", r"iterations, (\d+) nodes\)", onnx["maxSpentNodes"])


CHECKS = (operators_and_networks, runtime, aliases, conformance, targets_and_types, pipeline, strategies_and_providers, pages, readers, limits)
LEAST = 35  # comparisons


def self_test():
    assert [number(text) for text in ("five", "Four", "1,024", "16")] == [5, 4, 1024, 16]
    assert first_cells("| `a`, `b` | `c` |\n|---|---|\n| x | y |") == ["a", "b"]
    tree = Tree(Path("."))
    tree.same("page", "names", ["a", "b"], ["b", "c"])
    assert len(tree.problems) == 2


if __name__ == "__main__":
    self_test()
    tree = Tree(Path(sys.argv[1]))
    for check in CHECKS:
        check(tree)
    if tree.compared < LEAST:
        tree.problems.append(f"{tree.compared} comparisons, expected at least {LEAST}")
    print("\n".join(tree.problems) or f"{tree.compared} numbers and lists")
    sys.exit(bool(tree.problems))
