"""The number of passes of ours that run by default: at most 59. A new one takes the place of another, or becomes part of one.

  passes.py KGEN_OPT GENERATOR

Counted are different passes in all stages of kgen-opt (the reference's, too) and in the pipeline for machines, and all that back
ends have, since their targets get them where stages ask for them. Runs of one pass at several places count once. Upstream's passes,
passes that are only asked for (--kgen-instrument-ops, --kgen-lower-bench), and checks of a stage's contract (verify=false) do not count.
"""
import pathlib
import re
import subprocess
import sys

MOST = 59


def passes_of(kgen_opt, flag):
    done = subprocess.run([kgen_opt, flag, "--dump-pass-pipeline"], input="module {}", capture_output=True, text=True)
    # Some passes fail afterwards, for want of a target.
    assert "Pass Manager" in done.stderr, f"{flag}: no pipeline is printed: {done.stderr[:1000]}"
    # What has no name of its own (the place of a back end's passes) is printed as unknown<...>.
    return set(re.findall(r"(?<!<)\bkgen-[a-z0-9-]+", done.stderr))


def main():
    kgen_opt, generator = sys.argv[1], pathlib.Path(sys.argv[2])
    text = subprocess.run([kgen_opt, "--help"], capture_output=True, text=True, check=True).stdout
    stages = sorted(set(re.findall(r"--(kgen-[a-z-]+-stage)\b", text)) - {"kgen-verify-stage"})
    assert len(stages) == 8, f"eight stages are known here, kgen-opt has {stages}: correct this test"
    counts = {stage: passes_of(kgen_opt, f"--{stage}=verify=false") for stage in stages}
    counts["kgen-machine"] = passes_of(kgen_opt, "--kgen-machine")
    for file in sorted(generator.glob("backend/*/Passes.td")):
        counts[f"backend {file.parent.name}"] = set(re.findall(r'^def \w+ : Pass<"(kgen-[a-z0-9-]+)"', file.read_text(), re.M))
    for name, passes in counts.items():
        assert passes, f"{name}: no passes are found"
        print(f"{name}: {len(passes)}: {' '.join(sorted(passes))}")
    everything = set().union(*counts.values())
    assert len(everything) <= MOST, f"{len(everything)} different passes of ours run by default, at most {MOST} may"
    print(f"{len(everything)} different passes, at most {MOST}")


main()
