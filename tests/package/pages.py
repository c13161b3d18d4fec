"""Commands on pages are true: pages.py KGEN SOURCE BUILD WORK_FOLDER

Each line of an indented block that is a command is run, in a folder that looks like the source tree with `build` in it and with a small
network, mlp.yaml. It counts as true, too, if it
- is a script of the tree: it exists, and its syntax is right; the long tests run it;
- is a build of targets, or a selection of tests: there are such targets and tests;
- is in ELSEWHERE, with the test that runs it, or in ONLY_HELP.
Code within sentences: what follows `kgen` is a command, and its options are those that `--help` lists. Lines "$ COMMAND" belong to the
tests of their pages (onnx_docs.py).
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "generator/README.md", "specs/README.md", "tests/README.md", "tests/bench/README.md",
         "demo/README.md", "demo/voice/README.md", "demo/sentences/README.md", "runtime/executors/README.md"]
GENERATED = {"Dialects.md", "Passes.md", "Operators.md"}
PROGRAM = r"(?:kgen|kgen-[\w-]+|ctest|sh|cmake|cc|ninja|build/bin/[\w-]+|/usr/bin/python3|/tmp/\w+/runner|cd|PATH=\S+|grep)"
# The beginning of a command, and the test that runs it or one like it.
ELSEWHERE = {
    "kgen import net.onnx": "tests/package/onnx-docs.sh", "kgen verify net.onnx": "tests/package/onnx-docs.sh",
    "kgen generate net/net.yaml": "tests/package/onnx-docs.sh", "kgen bench net/net.yaml": "tests/package/onnx-docs.sh", "cc -O1 -Ilib net.c": "tests/package/onnx-docs.sh", "./net-demo": "tests/package/onnx-docs.sh",
    "PATH=": "tests/package/tutorial.sh", "cmake --install build": "tests/package/readme.sh",
    "kgen import silero_vad_v5.onnx": "tests/package/tutorial.sh", "kgen ops --templates": "tests/templates/docs.test",
    "kgen check mine.yaml": "tests/templates/docs.test", "kgen explain mine.yaml": "tests/templates/docs.test",
    "kgen generate mine.yaml": "tests/templates/docs.test", "kgen-opt my_ops.mlir": "tests/templates/docs.test",
    "kgen-opt --run-reproducer": "tests/pipeline/crash.test", "kgen verify mlp.yaml": "tests/verify/foreign.py",
    "kgen bench mlp.yaml --check": "tests/verify/foreign.py", "kgen bench mlp.yaml --target nvidia-sm_80": "tests/gpu/commands.py", "cmake -S . -B build-arm": "tests/package/cross-compiling.sh",
    "build/bin/kgen-bench-": "tests/bench/CMakeLists.txt", "../../bin/kgen-bench-": "tests/bench/CMakeLists.txt",
    "/usr/bin/python3 -B tests/promise/compositions.py": "tests/promise/CMakeLists.txt",
    "kgen import decoder.onnx": "tests/onnx/import_command.py", "kgen verify meter.yaml": "tests/verify/frames.py",
    "/usr/bin/python3 tests/bench/speed_chart.py": "tests/house/CMakeLists.txt",
}
# Programs that take minutes and a network, or write into the source tree: they are there, and say what they take.
ONLY_HELP = ("/usr/bin/python3 tests/bench/runtime.py", "/usr/bin/python3 tests/bench/web.py", "/usr/bin/python3 tests/bench/quantized.py",
             "/usr/bin/python3 -B tests/oracle/oracle.py --only")
MLP = """library: mlp
targets: [x86-64-v2, x86-64-v3, x86-64-v4]
graphs:
  - name: forward
    inputs: {x: "f32[16, 64]"}
    weights: {w0: {type: "f32[64, 32]", random: {seed: 1}}, b0: {type: "f32[32]", random: {seed: 2}}}
    nodes:
      - {name: m0, op: MatMul, inputs: [x, w0]}
      - {name: h0, op: Add, inputs: [m0, b0]}
      - {name: y, op: Relu, inputs: [h0]}
    outputs: [y]
"""


def indented(text):
    """Commands in indented blocks, without what follows "#"."""
    text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for line in re.findall(rf"^ {{4,}}({PROGRAM}(?: .*)?)$", text, re.MULTILINE):
        yield re.sub(r"\s{2,}#.*", "", line).strip()


def inline(text):
    """Code within sentences and tables, on one line."""
    text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [re.sub(r"\s+", " ", code) for code in re.findall(r"(?<!`)`([^`]+)`(?!`)", text)]


class Pages:
    def __init__(self, kgen, source, build, work):
        self.kgen, self.source, self.build, self.work = kgen, source, build, work
        self.problems, self.counts, self.known = [], {}, {}
        version = subprocess.run([kgen, "--version"], capture_output=True, text=True).stdout
        self.left_out = {"simulate"} if "without machines" in version else set()  # commands of components
        self.targets = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True).stdout
        self.has_benchmarks = "kgen_bench_networks:" in self.targets

    def count(self, kind):
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def prepare(self, page):
        folder = self.work / re.sub(r"\W", "-", page)
        folder.mkdir(parents=True)
        for name in ("specs", "tests", "cmake", "demo", "docs", "generator", "runtime"):
            (folder / name).symlink_to(self.source / name)
        (folder / "build").symlink_to(self.build)
        (folder / "mlp.yaml").write_text(MLP)
        (folder / "tmp").mkdir()
        return folder

    def run(self, command, folder):
        """True, or the reason why the command is not."""
        for beginning, test in ELSEWHERE.items():
            if command.startswith(beginning):
                self.count("run elsewhere")
                return (self.source / test).exists() or f"there is no {test}"
        if command.startswith(ONLY_HELP):
            self.count("asked for help")
            return self.executes(re.sub(r"(\.py).*", r"\1 --help", command), folder)
        words = command.split()
        if words[0] == "cd":
            return True
        if words[0] == "sh":
            script = self.source / words[1].removeprefix("../")
            self.count("scripts")
            return (script.exists() and not subprocess.run(["sh", "-n", script]).returncode) or "there is no such script"
        if words[0] == "ctest":
            return self.selects(command)
        if words[0] == "ninja" or words[:2] == ["cmake", "--build"]:
            return self.builds(words)
        return self.executes(command, folder)

    def selects(self, command):
        self.count("selections of tests")
        found = re.search(r"-R '([^']*)'|-R (\S+)", command)
        more = ["-R", found[1] or found[2]] if found else []
        listed = subprocess.run(["ctest", "--test-dir", self.build, "-N", "-C", "Full", *more], capture_output=True, text=True).stdout
        return int(re.search(r"Total Tests: (\d+)", listed)[1]) > 0 or "it selects no test"

    def builds(self, words):
        self.count("builds")
        names = words[words.index("--target") + 1:] if "--target" in words else [w for w in words[1:] if not w.startswith("-") and w != "build"]
        for name in names:
            if "bench" in name and not self.has_benchmarks:
                continue
            if not re.search(rf"(^|/){re.escape(name)}: ", self.targets, re.MULTILINE):
                return f"there is no target {name}"
        return True

    def executes(self, command, folder):
        program = re.search(r"build/bin/([\w-]+)", command)
        if program and not (self.build / "bin" / program[1]).exists():
            if re.search(rf"(^|/){program[1]}: ", self.targets, re.MULTILINE):
                self.count("not built here")
                return True
            return f"there is no program {program[1]}"
        self.count("run")
        command = command.replace("/tmp/", f"{folder}/tmp/").replace("FILE", "tests/passes/fuse-epilogues-tile-ops.mlir")
        ran = subprocess.run(["sh", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        allowed = (0, 1) if " check tests/errors" in command else (0,)
        return ran.returncode in allowed or f"exit code {ran.returncode}: {ran.stdout[-600:]}"

    def options(self, command):
        if command not in self.known:
            ran = subprocess.run([self.kgen, *command, "--help"], capture_output=True, text=True)
            self.known[command] = set(re.findall(r"(?<![\w-])--?[\w-]+", ran.stdout)) if not ran.returncode else None
        return self.known[command]

    def sentence(self, code):
        """Code that begins with kgen's name."""
        words = code.split()
        if words[:1] != ["kgen"] or len(words) < 2 or not re.fullmatch(r"[a-z]+(\|[a-z]+)*", words[1]):
            return True
        self.count("sentences")
        for command in words[1].split("|"):
            if command in self.left_out:
                continue
            known = self.options((command,))
            if known is None:
                return f"kgen has no command {command}"
            missing = [w for w in re.findall(r"(?<![\w-])--[a-z][\w-]*", code) if w not in known]
            if missing:
                return f"kgen {command} has no {' '.join(missing)}"
        return True

    def check(self, page):
        text = (self.source / page).read_text()
        folder = self.prepare(page)
        listed = [part.strip() for line in indented(text) for part in line.split(" && ")]
        if page == "generator/README.md":
            listed += [code.replace("\\|", "|") for code in inline(text) if re.match(r"(build/bin/|/usr/bin/python3 |ctest )", code)]
        for command in listed:
            if re.search(r"\bSPEC\b|\[--|<\w", command) or self.left_out & set(command.split()):
                continue
            good = self.run(command, folder)
            if good is not True:
                self.problems.append(f"{page}: {command}\n    {good}")
        for code in inline(text):
            good = self.sentence(code)
            if good is not True:
                self.problems.append(f"{page}: `{code}`\n    {good}")


def main(kgen, source, build, work):
    source, build, work = Path(source), Path(build), Path(work)
    shutil.rmtree(work, ignore_errors=True)
    os.environ["PATH"] = f"{build / 'bin'}:{os.environ['PATH']}"
    pages = Pages(kgen, source, build, work)
    for page in [*PAGES, *sorted(f"docs/{p.name}" for p in (source / "docs").glob("*.md") if p.name not in GENERATED),
                 *sorted(f"docs/rationale/{p.name}" for p in (source / "docs/rationale").glob("*.md"))]:
        pages.check(page)
    print("\n".join(pages.problems))
    print(", ".join(f"{number} {kind}" for kind, number in pages.counts.items()))
    return bool(pages.problems) or sum(pages.counts.values()) < 100


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
