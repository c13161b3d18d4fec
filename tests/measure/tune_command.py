"""kgen tune: what it writes is a target that kgen reads, and what must not happen does not. Figures are not judged, except that
a register tile of one row is not hard to beat.

  tune_command.py KGEN SCENARIO WORK_FOLDER
"""
import json
import pathlib
import sys

from commands import Commands, require

SPEC = """library: small
targets: [x86-64-v2]
graphs:
  - name: layer
    inputs: {x: "f32[48, 96]"}
    weights: {w: {type: "f32[96, 64]", random: {seed: 1}}}
    nodes: [{name: y, op: MatMul, inputs: [x, w]}]
    outputs: [y]
"""
SOFTMAX = """library: small
targets: [x86-64-v2]
graphs:
  - name: layer
    inputs: {x: "f32[48, 96]"}
    nodes: [{name: y, op: Softmax, inputs: [x]}]
    outputs: [y]
"""
BUILT_IN = (pathlib.Path(__file__).resolve().parents[2] / "specs/targets/x86-64-v2.yaml").read_text()
BAD = "  gemm_f32: {mr: 1, nr: 4, mc: 8, kc: 16}\n"


def bad_target(commands):
    lines = [BAD if line.startswith("  gemm_f32:") else line for line in BUILT_IN.splitlines(keepends=True)]
    path = commands.folder / "x86-64-v2.yaml"
    path.write_text("".join(lines))
    return path


def blocks(text):
    return next(line for line in text.splitlines() if line.startswith("  gemm_f32:"))


def recovers(commands):
    path = bad_target(commands)
    report = json.loads(commands.expect(0, "tune", "--time", "8", "--output", "tuned", "--json", "-"))
    require(set(report) == {"library", "cpu", "targets", "not_tuned"}, "keys")
    tuned, = report["targets"]
    require(tuned["target"] == "x86-64-v2" and tuned["wrong_results"] == [], "the target")
    change = next(change for change in tuned["changes"] if change["kind"] == "gemm_f32")
    require(change["before"] == "mr 1, nr 4, mc 8, kc 16" and change["after"] != change["before"], "the change")
    require(len(tuned["refusals"]) == tuned["refused"] and all(": " in text and not text.endswith("no reason") for text in tuned["refusals"]),
            f"why candidates cannot be made: {tuned['refusals']}")
    require(any("provider xsmm: " in text for text in tuned["refusals"]), "a provider that cannot make what the target asks for")
    require(set(tuned["seconds"]) == {"layer"} and 0 < tuned["seconds"]["layer"] < 1, "the time of a call")
    require(change["speed_ratio"] > 1 and tuned["speed_ratio"] > 1 and set(tuned["graphs"]) == {"layer"}, "a gain")
    require(path.read_text().count(BAD) == 1, "the other file is as it was")
    written = (commands.folder / "tuned/x86-64-v2.yaml").read_text()
    require(tuned["file"] == "tuned/x86-64-v2.yaml" and blocks(written) != BAD.rstrip(), "the winners' file")
    path.unlink()
    # From then on it is a target like any other, and nothing depends on the machine.
    commands.expect(0, "generate", "-o", "plain", "-q")
    commands.expect(0, "generate", "--target-path", "tuned", "-o", "one", "-q")
    commands.expect(0, "generate", "--target", "tuned/x86-64-v2.yaml", "-o", "two", "-q")
    one = (commands.folder / "one/small.manifest.json").read_text()
    require(one == (commands.folder / "two/small.manifest.json").read_text(), "the same library")
    if blocks(written) != blocks(BUILT_IN):
        require(one != (commands.folder / "plain/small.manifest.json").read_text(), "another library than without the file")


def no_time(commands):
    """With next to no time nothing is found and nothing is written."""
    text = commands.expect(0, "tune", "--time", "0.000001", texts=["x86-64-v2: 0 candidates", "there was no time for more",
                                                                   "nothing is faster", "graph layer: ", " a call"])
    require("written" not in text and not (commands.folder / "x86-64-v2.yaml").exists(), "no file")


def existing_file(commands):
    path = bad_target(commands)
    before = path.read_text()
    commands.expect(1, "tune", "--time", "5", texts=["x86-64-v2.yaml: error: the file is there already", "--force", "--output"])
    require(path.read_text() == before, "the file is as it was")
    commands.expect(0, "tune", "--time", "8", "--force", texts=["gemm_f32", "written to ", " a call before, "])
    require(path.read_text() != before and path.read_text().startswith("# The target x86-64-v2, tuned by kgen tune"), "the new file")
    require(sorted(p.name for p in commands.folder.iterdir()) == ["small.yaml", "x86-64-v2.yaml"], "nothing else is left")
    commands.expect(0, "check")


def wrong_options(commands):
    commands.expect(2, "tune", "--time=never", texts=["--time", "expected seconds above 0, found 'never'"])
    commands.expect(2, "tune", "--fast", texts=["--fast"])
    (commands.folder / "file").write_text("")
    for folder in ("file", "file/below"):
        commands.expect(1, "tune", "--output", folder, texts=[f"{folder}/x86-64-v2.yaml: error: its folder is a file, or below one"])


def wrong_names(commands):
    commands.expect(1, "tune", "--graph", "lager", texts=["the library has no graph 'lager' (did you mean 'layer'?)"])
    commands.expect(1, "tune", "--target", "x86-64-v22", texts=["unknown target 'x86-64-v22'"])


def provider(commands):
    """A target's own provider counts where the command line does not say; a wrong name has a place."""
    path = commands.folder / "x86-64-v2.yaml"
    path.write_text(BUILT_IN + "provider: vektor\n")
    line = len(BUILT_IN.splitlines()) + 1
    commands.expect(1, "check", texts=[f"x86-64-v2.yaml:{line}:11: error: there is no provider 'vektor' (did you mean 'vector'?)",
                                       "there are auto, vector, xsmm"])
    path.write_text(BUILT_IN + "provider: xsmm\n")
    commands.expect(1, "generate", "-o", "made", "-q", texts=["no provider can make micro-kernel"])
    commands.expect(0, "generate", "-o", "made", "-q", "--provider", "vector")
    path.write_text(BUILT_IN + "provider: auto\n")
    commands.expect(0, "generate", "-o", "made", "-q")


def heuristics(commands):
    """Trade-offs are tried where the command line says so, and those that win are written."""
    (commands.folder / "small.yaml").write_text(SOFTMAX)
    path = commands.folder / "x86-64-v2.yaml"
    path.write_text(BUILT_IN + "heuristics: {max_tasks: 31, independent_chains: 1}\n")
    arguments = ("tune", "--time", "4", "--output", "tuned", "--json", "-")
    plain, = json.loads(commands.expect(0, *arguments, "--force"))["targets"]
    tuned, = json.loads(commands.expect(0, *arguments, "--heuristics", "--force"))["targets"]
    require(plain["candidates"] < tuned["candidates"] and tuned["wrong_results"] == [], "more candidates, none of them wrong")
    require(all(change["kind"] != "heuristics" for change in plain["changes"]), "none without the option")
    for change in tuned["changes"]:
        if change["kind"] == "heuristics":
            require(change["before"] == "max_tasks 31, independent_chains 1" and change["after"] != change["before"], "a change")
            require("heuristics: {" in (commands.folder / "tuned/x86-64-v2.yaml").read_text(), "the winners' file")
    commands.expect(2, "tune", "--machine", "array-2x2", "--heuristics", texts=["--heuristics", "--machine"])


SCENARIOS = {"recovers": recovers, "no-time": no_time, "existing-file": existing_file, "wrong-options": wrong_options,
             "wrong-names": wrong_names, "provider": provider, "heuristics": heuristics}

if __name__ == "__main__":
    SCENARIOS[sys.argv[2]](Commands(sys.argv[1], pathlib.Path(sys.argv[3]), SPEC))
