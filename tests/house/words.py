"""Words that the project does not use, and how long files and functions may be: words.py PROJECT-FOLDER [LIST]

LIST (words.txt beside this file) has one entry a line: `id NAME` for an identifier, as a whole word, in sources; `call NAMES` for
functions in C++, where they are called or defined; `phrase WORDS` for
a phrase in comments and documents, regardless of case and of line ends; `most N WORDS` for one that all of them together have at
most N times; `start WORDS` for the beginning of a comment of a source, or of a summary in TableGen. The text after ` -> ` is the word
to use instead. `longer FILE` is a file whose length is not judged yet.
"""
import re
import sys
from pathlib import Path

FOLDERS = ("generator", "python", "runtime", "tests", "docs", "specs", "demo", "cmake")
SOURCES = {".cpp", ".h", ".td", ".inc", ".def", ".c", ".in"}
TEXTS = SOURCES | {".md", ".py", ".mlir", ".test", ".yaml", ".cmake", ".txt", ".sh"}
# Made by programs, or lists of the words themselves.
LEFT_OUT = ("tests/numerics/ops/", "tests/numerics/graphs/", "tests/golden/", "tests/house/words", "CHANGELOG.md", "docs/Moving.md")
MAX_FILE, MAX_FUNCTION = 400, 60  # lines; a function's from the line of its `{` to that of its `}`
COMMENT = {**{suffix: r"//+!?<?(.*)" for suffix in SOURCES | {".mlir"}}, ".py": r"#(.*)", ".cmake": r"#(.*)", ".sh": r"#(.*)",
           ".yaml": r"#(.*)", ".txt": r"#(.*)"}


def read_list(text):
    """((kind, word, instead), ...)"""
    entries = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            entry, _, instead = line.partition(" -> ")
            kind, _, word = entry.strip().partition(" ")
            entries.append((kind, word.strip(), instead.strip()))
    return entries


def prose(path, text):
    """The comments of a source, or a document as it is, on one line; with the line numbers of each character's line."""
    pattern = COMMENT.get(path.suffix)
    joined, numbers = "", []
    for number, line in enumerate(text.splitlines(), 1):
        if path.suffix == ".td":
            part = line  # descriptions are documents
        elif pattern:
            found = re.search(pattern, line)
            part = found[1] if found else " ."  # code separates sentences
        else:
            part = line
        part = re.sub(r"\s+", " ", part.strip()) + " "
        joined += part
        numbers += [number] * len(part)
    return joined, numbers


def beginnings(path, text):
    """((line number, first line), ...) of the comments of a source, and of the summaries of a .td file."""
    found, goes_on = [], False
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.match(r"\s*//+<? ?(.*)", line)
        member = None if comment else re.search(r"///< ?(.*)", line)
        if (comment and not goes_on) or member:
            found.append((number, (comment or member)[1]))
        goes_on = bool(comment or member)
        summary = re.search(r'(?:summary = |InterfaceMethod<)"([^"]*)', line) if path.suffix == ".td" else None
        if summary:
            found.append((number, summary[1]))
    return found


def start_problems(path, text, entries):
    starts = [(word, instead) for kind, word, instead in entries if kind == "start"]
    if not starts or path.suffix not in SOURCES:
        return []
    return [f"{number}: a comment begins with \"{word}\" (say {instead})" for number, line in beginnings(path, text)
            for word, instead in starts if re.match(rf"{word}\b", line)]


def call_problems(path, text, entries):
    """Names in front of a parenthesis; `name(name)` initializes a member."""
    calls = [(word, instead) for kind, word, instead in entries if kind == "call"]
    if not calls or path.suffix not in (".cpp", ".h"):
        return []
    code = STRIPPED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    problems = []
    for word, instead in calls:
        for found in re.finditer(rf"\b(?P<name>{word})\((?!(?P=name)\))", code):
            problems.append(f"{code.count(chr(10), 0, found.start()) + 1}: a function '{found['name']}' (say {instead})")
    return problems


def occurrences(path, text, word):
    """The line numbers of a phrase in the comments of a source, or in a document."""
    joined, numbers = prose(path, text)
    return [numbers[found.start()] for found in re.finditer(rf"\b{word}\b", joined, re.IGNORECASE)]


def word_problems(path, text, entries):
    problems = []
    joined = None
    for kind, word, instead in entries:
        hint = f" (say {instead})" if instead else ""
        if kind in ("longer", "most", "start", "call"):
            continue
        if kind == "id":
            if path.suffix in SOURCES and re.search(rf"\b{re.escape(word)}\b", text):
                line = text[:re.search(rf"\b{re.escape(word)}\b", text).start()].count("\n") + 1
                problems.append(f"{line}: '{word}'{hint}")
        else:
            if joined is None:
                joined, numbers = prose(path, text)
            for found in re.finditer(rf"\b{word}\b", joined, re.IGNORECASE):
                problems.append(f"{numbers[found.start()]}: \"{found[0]}\"{hint}")
    return problems


STRIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
# What opens a body that is no function's.
OPENS_SCOPE = re.compile(r"\b(?:namespace|class|struct|enum|union|extern)\b[^;{}()=]*$|=\s*$|^\s*$")


def long_functions(text):
    """(line, lines) of each outermost function body of MAX_FUNCTION lines or more; its constant tables do not count."""
    code = STRIPPED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    code = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", lambda found: re.sub(r"[^\n]", " ", found[0]), code, flags=re.MULTILINE)
    found, depth, start, begin, table, tables = [], [], None, 0, None, 0
    for at, c in enumerate(code):
        if c == "{":
            head = code[begin:at]
            is_function = start is None and not OPENS_SCOPE.search(head) and ")" in head
            depth.append(is_function)
            if is_function:
                start, tables = at, 0
            elif start is not None and table is None and re.search(r"\bstatic const|\bconstexpr\b", head):
                table = (at, len(depth))
            begin = at + 1
        elif c == "}":
            if table and len(depth) == table[1]:
                tables += code[table[0]:at].count("\n")
                table = None
            if depth and depth.pop():
                first, last = code[:start].count("\n") + 1, code[:at].count("\n") + 1
                if last - first + 1 - tables >= MAX_FUNCTION:
                    found.append((first, last - first + 1))
                start = None
            begin = at + 1
        elif c == ";":
            begin = at + 1
    return found


def length_problems(path, text):
    problems = []
    lines = text.count("\n")
    if lines > MAX_FILE:
        problems.append(f"{MAX_FILE + 1}: the file has {lines} lines, more than {MAX_FILE}")
    if path.suffix == ".cpp":
        problems += [f"{line}: a function of {count} lines, {MAX_FUNCTION} or more" for line, count in long_functions(text)]
    return problems


def check(root, entries):
    problems, longer = [], {word for kind, word, _ in entries if kind == "longer"}
    rare = {}  # "N WORDS" -> places
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))] + sorted(root.glob("*.md"))
    for path in paths:
        name = str(path.relative_to(root))
        if not path.is_file() or path.suffix not in TEXTS or name.startswith(LEFT_OUT) or "__pycache__" in name:
            continue
        text = path.read_text(errors="replace")
        found = word_problems(path, text, entries) + start_problems(path, text, entries) + call_problems(path, text, entries)
        for kind, word, _ in entries:
            if kind == "most":
                rare.setdefault(word, []).extend(f"{name}:{line}" for line in occurrences(path, text, word.partition(" ")[2]))
        if name.startswith("generator/") and path.suffix in (".cpp", ".h") and name not in longer:
            found += length_problems(path, text)
        problems += [f"{name}:{problem}" for problem in found]
    for word, places in rare.items():
        most, _, phrase = word.partition(" ")
        if len(places) > int(most):
            problems.append(f"\"{phrase}\" is used {len(places)} times, more than {most}: {', '.join(places)}")
    return problems


if __name__ == "__main__":
    words = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).with_name("words.txt")
    found = check(Path(sys.argv[1]), read_list(words.read_text()))
    print("\n".join(found))
    sys.exit(bool(found))
