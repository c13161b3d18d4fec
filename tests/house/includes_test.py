"""includes.py on made-up trees: each kind of violation is found, and a clean tree passes."""
import tempfile
from pathlib import Path

from includes import check


def problems(edges, libraries="yaml-cpp in spec", components="", **files):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "README.md").write_text(f"```includes\n{edges}\n```\n```libraries\n{libraries}\n```\n```components\n{components}```\n")
        for name in ("spec", "graph"):
            (root / name).mkdir()
        sources = {"spec": "#include <yaml-cpp/yaml.h>\n", "graph": '#include "spec/Spec.h"\n', **files}
        for name, text in sources.items():
            (root / name / "A.cpp").write_text(text)
        return check(root)


CLEAN = "spec ->\ngraph -> spec"
assert problems(CLEAN) == []
assert problems(CLEAN, spec='#include "graph/Graph.h"\n#include <yaml-cpp/yaml.h>\n') == ["spec/A.cpp: may not include graph/Graph.h"]
assert problems(CLEAN, graph='#include "spec/Spec.h"\n  #include <yaml-cpp/node.h>\n') == ["graph/A.cpp: may not include yaml-cpp/node.h"]
assert problems(CLEAN, graph="") == ["graph -> spec: drawn, but nothing includes it"]
assert problems(CLEAN + "\nops ->") == ["ops: in the README or in the tree, but not in both"]
assert problems("spec ->\ngraph -> spec\nother -> spec") != []
assert problems("spec -> graph\ngraph -> spec", spec='#include "graph/G.h"\n#include <yaml-cpp/yaml.h>\n') == ["spec: includes itself in the end"]

OF_SPEC = "spec -> spec/A.cpp\n"
assert problems(CLEAN, components="spec -> spec/Spec.h\n") == ["spec/Spec.h: is no header of spec"]
assert problems(CLEAN, components=OF_SPEC) == ["graph/A.cpp: may not include spec/Spec.h, but spec/A.cpp"]
assert problems(CLEAN, components=OF_SPEC, graph='#include "spec/A.cpp"\n') == []


def problems_within(edges, **files):
    """Of two folders within `transforms`, which is the generator's only folder."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "README.md").write_text(
            f"```includes\ntransforms ->\n```\n```libraries\n```\n```components\n```\n```transforms\n{edges}\n```\n")
        sources = {"loops": "", "vectors": '#include "transforms/loops/A.h"\n', **files}
        for name, text in sources.items():
            (root / "transforms" / name).mkdir(parents=True)
            (root / "transforms" / name / "A.cpp").write_text(text)
        return check(root)


def problems_of_back_ends(edges, **files):
    """Of an interface, a back end, and a folder that includes the interface."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "README.md").write_text(f"```includes\n{edges}\n```\n```libraries\n```\n```components\n```\n")
        sources = {"backend": "", "backend/cpu": '#include "backend/A.h"\n', "spec": '#include "backend/A.h"\n', **files}
        for name, text in sources.items():
            (root / name).mkdir(parents=True, exist_ok=True)
            (root / name / "A.cpp").write_text(text)
        return check(root)


BACK_ENDS = "backend ->\nbackend/cpu -> backend\nspec -> backend"
assert problems_of_back_ends(BACK_ENDS) == []
assert problems_of_back_ends(BACK_ENDS, spec='#include "backend/A.h"\n#include "backend/cpu/A.h"\n') == [
    "spec/A.cpp: may not include backend/cpu/A.h"]
assert problems_of_back_ends("backend ->\nspec -> backend") != []

WITHIN = "loops ->\nvectors -> loops"
assert problems_within(WITHIN) == []
assert problems_within(WITHIN, vectors="") == ["vectors -> loops: drawn, but nothing includes it"]
assert problems_within(WITHIN, loops='#include "transforms/vectors/A.h"\n') == ["loops/A.cpp: may not include vectors/A.h"]
