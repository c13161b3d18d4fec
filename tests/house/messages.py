"""Every message that a verifier, a pass or an operator emits appears in a test: messages.py GENERATOR-FOLDER TESTS-FOLDER"""
import re
import sys
from pathlib import Path

FOLDERS = ("analysis", "backend", "dialect", "math", "templates", "transforms", "providers")
STATEMENT = re.compile(r"emit(?:Op)?Error\((.*?);", re.DOTALL)
OPERATORS_STATEMENT = re.compile(r"\b(?:error|fail)\((.*?);", re.DOTALL)
SHORTEST = 8  # characters of a literal that tells a message from others
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\s*"((?:[^"\\]|\\.)*)")?')


def messages(generator):
    """(file, longest literal part) of each emitted error."""
    for folder in FOLDERS:
        for path in sorted((generator / folder).rglob("*.cpp")):
            for statement in STATEMENT.findall(path.read_text()):
                parts = ["".join(pair) for pair in LITERAL.findall(statement)]
                if parts:
                    yield path.relative_to(generator), max(parts, key=len)


def operator_messages(generator):
    """(file, literal parts, hints among them) of each error of an operator's inference."""
    for path in sorted(path for folder in ("ops", "templates/operators") for path in (generator / folder).rglob("*.cpp")):
        for statement in OPERATORS_STATEMENT.findall(path.read_text()):
            parts = ["".join(pair).strip() for pair in LITERAL.findall(statement)]
            parts = [part for part in parts if len(part) >= SHORTEST]
            if parts:
                yield path.relative_to(generator), parts


generator, tests = map(Path, sys.argv[1:])
expected = "\n".join(path.read_text() for folder in ("dialect", "passes", "templates") for path in (tests / folder).glob("*.mlir"))
found = list(messages(generator))
missing = [f'{path}: no test expects "{text}"' for path, text in found if text not in expected]
errors = "\n".join(path.read_text(errors="replace") for folder in ("errors", "unit/ops", "unit/spec", "templates")
                   for path in sorted((tests / folder).rglob("*")) if path.suffix in (".yaml", ".cpp", ".test"))
of_operators = list(operator_messages(generator))
missing += [f'{path}: no spec of tests/errors/operators expects "{max(parts, key=len)}"'
            for path, parts in of_operators if not any(part in errors for part in parts)]
found += of_operators
print("\n".join(missing) or f"{len(found)} messages are tested")
sys.exit(bool(missing) or len(found) < 30)
