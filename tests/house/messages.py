"""Every message that a verifier or a pass emits appears in a test: messages.py GENERATOR-FOLDER TESTS-FOLDER"""
import re
import sys
from pathlib import Path

FOLDERS = ("dialect", "transforms", "providers")
STATEMENT = re.compile(r"emit(?:Op)?Error\((.*?);", re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\s*"((?:[^"\\]|\\.)*)")?')


def messages(generator):
    """(file, longest literal part) of each emitted error."""
    for folder in FOLDERS:
        for path in sorted((generator / folder).rglob("*.cpp")):
            for statement in STATEMENT.findall(path.read_text()):
                parts = ["".join(pair) for pair in LITERAL.findall(statement)]
                if parts:
                    yield path.relative_to(generator), max(parts, key=len)


generator, tests = map(Path, sys.argv[1:])
expected = "\n".join(path.read_text() for folder in ("dialect", "passes") for path in (tests / folder).glob("*.mlir"))
found = list(messages(generator))
missing = [f'{path}: no test expects "{text}"' for path, text in found if text not in expected]
print("\n".join(missing) or f"{len(found)} messages are tested")
sys.exit(bool(missing) or len(found) < 30)
