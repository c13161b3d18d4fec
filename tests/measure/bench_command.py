"""kgen bench: tables, JSON and drawings have what they should, and wrong arguments get an answer.

  bench_command.py KGEN SCENARIO WORK_FOLDER
"""
import json
import pathlib
import sys
import xml.etree.ElementTree

from commands import Commands, SPEC, require

QUICK = ("--time", "0.01")
SVG = "{http://www.w3.org/2000/svg}"


def lines(report):
    return {(r["graph"], r["variant"], r["threads"], r["caches"]) for r in report["results"]}


def variants(report):
    """What ran and what this CPU could not run are all the targets."""
    ran = {r["variant"] for r in report["results"]}
    skipped = {note.split(":")[0] for note in report["not_measured"] if "this CPU lacks" in note}
    better = [note for note in report["not_measured"] if "suits this CPU better than the library's targets" in note]
    require(len(better) + len(skipped) == len(report["not_measured"]) and len(better) <= 1, "notes")
    require(ran | skipped == {"x86-64-v2", "x86-64-v3"} and not ran & skipped, "every target ran or was named")
    return ran


def table(commands):
    text = commands.expect(0, "bench", *QUICK, "--threads", "1", texts=["small on ", "GFLOPS", "layer", "moved", "peak of ", "bandwidth of "])
    rows = [line.split() for line in text.splitlines() if line.startswith(("layer", "moved"))]
    require(all(row[3] in ("hot", "cold") for row in rows), "each row says what the caches hold")
    moved = [row for row in rows if row[0] == "moved"]
    require(moved and all("-" in row for row in moved), "what computes nothing has no GFLOPS")


def as_json(commands):
    report = json.loads(commands.expect(0, "bench", *QUICK, "--threads", "1,2", "--json", "-"))
    require(set(report) == {"library", "cpu", "results", "peaks", "bandwidths", "not_measured", "wrong_results"}, "keys")
    expected = {(g, v, t, c) for g in ("layer", "moved") for v in variants(report) for t in (1, 2) for c in ("hot", "cold")}
    require(lines(report) == expected, "a line for each graph, variant, number of threads and state of the caches")
    require(report["wrong_results"] == [], "results are right")
    for result in report["results"]:
        seconds = result["seconds"]
        require(0 < seconds["best"] <= seconds["lower_quartile"] <= seconds["median"] <= seconds["upper_quartile"], "order of times")
        require(seconds["readings"] >= 3, "readings")
        if result["graph"] == "layer":
            require(result["flops"] == 20 * 37 * (2 * 48 + 2), "operations of the layer")
            require(result["bytes"] >= 4 * (20 * 48 + 48 * 37 + 37 + 20 * 37), "bytes of the layer")
            require(result["instruction"] and result["peak_fraction"] > 0, "a peak")
        else:
            require(result["flops"] == 0 and result["bytes"] == 2 * 4 * 6 * 9 and result["peak_fraction"] is None, "a transposition")
    used = {(r["instruction"], r["threads"]) for r in report["results"] if r["instruction"]}
    require(used == {(p["instruction"], p["threads"]) for p in report["peaks"]}, "the peaks that were compared with")
    require(all(p["gflops"] > 0 for p in report["peaks"]) and all(b["gbytes_per_second"] > 0 for b in report["bandwidths"]), "rates")


def plot(commands):
    commands.expect(0, "bench", *QUICK, "--threads", "1", "--plot", "roof.svg", "--json", "report.json")
    report = json.loads((commands.folder / "report.json").read_text())
    root = xml.etree.ElementTree.parse(commands.folder / "roof.svg").getroot()
    require(root.tag == SVG + "svg", "an SVG")
    texts = ["".join(e.itertext()) for e in root.iter(SVG + "text")]
    for graph, variant, threads, caches in lines(report):
        label = f"{graph} · {variant} · {threads} thread · {caches}"
        require((label in texts) == (graph == "layer"), f"one point for {label} if it computes anything")
    for peak in report["peaks"]:
        require(any(t.startswith(f"{peak['instruction']}, 1 thread: ") for t in texts), f"a roof for {peak['instruction']}")
    slopes = [t for t in texts if t.endswith(" GB/s")]
    require(len(slopes) == len(report["bandwidths"]) and all(", 1 thread: " in t for t in slopes), f"a list of bandwidths: {slopes}")
    require(all(texts.count(letter) == 2 for letter in "abcdefgh"[:len(slopes)]), "each with a letter on its line and in the list")
    commands.expect(1, "bench", *QUICK, "--graph", "moved", "--plot", "none.svg", texts=["none.svg: there is no arithmetic to draw"])
    require(not (commands.folder / "none.svg").exists(), "no empty drawing")


def selection(commands):
    report = json.loads(commands.expect(0, "bench", *QUICK, "--graph", "layer", "--target", "x86-64-v2", "--threads", "1", "--cold",
                                        "--json", "-"))
    require(lines(report) == {("layer", "x86-64-v2", 1, "cold")}, "only what was asked for")
    report = json.loads(commands.expect(0, "bench", *QUICK, "--graph", "la*r", "--target", "x86-64-v2", "--threads", "1..2", "--hot",
                                        "--provider", "vector", "--json", "-"))
    require(lines(report) == {("layer", "x86-64-v2", t, "hot") for t in (1, 2)}, "a range of threads")


def steps(commands):
    quick = (*QUICK, "--target", "x86-64-v2", "--threads", "1", "--hot", "--steps")
    commands.expect(0, "bench", *quick, texts=["Steps of layer in x86-64-v2, 1 thread: ", "work of", "contraction 20 x 37 x 48"])
    explained = json.loads(commands.expect(0, "explain", "--target", "x86-64-v2", "--json"))
    report = json.loads(commands.expect(0, "bench", *quick, "--json", "-"))
    for part in explained["parts"]:
        result = next(r for r in report["results"] if r["graph"] == part["graph"])
        timed = [step for time in result["steps"] for step in time["steps"]]
        require(sorted(timed) == list(range(len(part["steps"]))), "every step once")
        for time in result["steps"]:
            require(time["seconds"]["readings"] >= 3 and time["seconds"]["median"] > 0, "times")
            require(time["how"].count("\n") == len(time["steps"]) - 1, "a line for each step")
            require(set(time["nodes"]) >= {n for s in time["steps"] for n in part["steps"][s]["nodes"]}, "nodes")
    layer = next(r for r in report["results"] if r["graph"] == "layer")
    require(sum(time["flops"] for time in layer["steps"]) == 2 * 20 * 37 * 48, "operations of the contraction")
    report = json.loads(commands.expect(0, "bench", *QUICK, "--target", "x86-64-v2", "--threads", "1,2", "--steps", "--json", "-"))
    require(all(("steps" in r) == (r["caches"] == "hot") for r in report["results"]), "steps where caches are hot, for each number of threads")


def wrong_options(commands):
    for threads in ("0", "x", "1..", "2..1", "1,,2", "-1", "99999"):
        commands.expect(2, "bench", f"--threads={threads}", texts=["--threads", "expected numbers of threads", f"found '{threads}'"])
    for time in ("0", "-1", "soon"):
        commands.expect(2, "bench", f"--time={time}", texts=["--time", f"expected seconds above 0, found '{time}'"])
    commands.expect(2, "bench", "--hot", "--cold", texts=["--hot excludes --cold"])
    commands.expect(2, "bench", "--steps", "--cold", texts=["--cold excludes --steps"])
    commands.expect(2, "bench", "--provider", "vektor", texts=["did you mean 'vector'?"])
    commands.expect(2, "bench", "--speed", texts=["--speed"])


def wrong_names(commands):
    commands.expect(1, "bench", *QUICK, "--graph", "[l", texts=["'[l' is no pattern of graphs' names"])
    commands.expect(1, "bench", *QUICK, "--graph", "l?", texts=["the library has no graph 'l?'"])
    commands.expect(1, "bench", *QUICK, "--graph", "lager", texts=["the library has no graph 'lager' (did you mean 'layer'?)"])
    commands.expect(1, "bench", *QUICK, "--target", "x86-64-v33", texts=["unknown target 'x86-64-v33'", "did you mean"])
    answer = json.loads(commands.expect(1, "bench", "--graph", "lager", "--json", "-"))
    require("lager" in json.dumps(answer), "errors as JSON")


def unsupported_target(commands):
    """A feature that no CPU has together with all others here: the target is named, and nothing else runs."""
    built_in = (pathlib.Path(__file__).resolve().parents[2] / "specs/targets/x86-64-v2.yaml").read_text()
    other = built_in.replace("name: x86-64-v2", "name: other").replace("sse4.2]", "sse4.2, sse4a, amx-tile]")
    (commands.folder / "other.yaml").write_text(other)
    commands.expect(1, "bench", *QUICK, "--target", "other", texts=["this CPU supports none of the library's targets", "other: this CPU lacks "])
    report = json.loads(commands.expect(0, "bench", *QUICK, "--graph", "layer", "--target", "other", "--target", "x86-64-v2", "--threads", "1",
                                        "--json", "-"))
    require([note.split(":")[0] for note in report["not_measured"]] == ["other"], "the target is named, and no better one where targets are chosen")
    require({r["variant"] for r in report["results"]} == {"x86-64-v2"}, "the other one runs")


def better_target(commands):
    """A library without the best target of this CPU: that one is named once, can be measured, and is not named where the library has it."""
    quick = ("bench", *QUICK, "--graph", "layer", "--threads", "1", "--hot", "--json", "-")
    said = "suits this CPU better than the library's targets"
    commands.spec.write_text(SPEC.replace("x86-64-v2, x86-64-v3", "x86-64-v2"))
    notes = [note for note in json.loads(commands.expect(0, *quick))["not_measured"] if said in note]
    if not notes:
        commands.expect(1, *quick, "--target", "x86-64-v3", texts=["this CPU supports none"])
    for note in notes:
        name = note.split(":")[0]
        require(len(notes) == 1 and f"--target {name} measures it" in note, note)
        commands.spec.write_text(SPEC.replace("x86-64-v2, x86-64-v3", f"x86-64-v2, {name}"))
        report = json.loads(commands.expect(0, *quick))
        require({r["variant"] for r in report["results"]} == {"x86-64-v2", name}, "the better target runs")
        require(not any(said in text for text in report["not_measured"]), "a target that the library has")


def narrow_dots(commands):
    """Dot products of 256 bits are compared with the instruction that this CPU has, be it of AVX-512 or not."""
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    text = (pathlib.Path(__file__).resolve().parents[1] / "machine_code/windows.yaml").read_text()
    commands.spec.write_text(text.replace("14, 14, 64]", "14, 14, 8]").replace("i8[64, ", "i8[8, ").replace("group: 64", "group: 8"))
    for target, flag in (("x86-64-v3-vnni", "avx_vnni"), ("x86-64-v4-vnni", "avx512_vnni")):
        if flag in flags:
            commands.expect(0, "bench", *QUICK, "--target", target, "--threads", "1", "--hot", texts=["peak of vpdpbusd ymm"])


SCENARIOS = {"table": table, "json": as_json, "plot": plot, "steps": steps, "selection": selection, "wrong-options": wrong_options,
             "wrong-names": wrong_names, "unsupported-target": unsupported_target, "better-target": better_target,
             "narrow-dots": narrow_dots}

if __name__ == "__main__":
    SCENARIOS[sys.argv[2]](Commands(sys.argv[1], pathlib.Path(sys.argv[3])))
