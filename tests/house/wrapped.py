"""Prose is at most 100 columns wide: wrapped.py ROOT [--fix]

Prose are paragraphs and list items of .md files, descriptions and comments of .td files, comments of .def files and of specs/*.yaml, and texts of .def
files. Tables, headings, code, links and single words may be longer. --fix wraps what is not, but for documents that are generated: these are wrapped
where they are made from.
"""
import re
import sys
from pathlib import Path

WIDTH = 100
# Made by programs: of the first two, the text is that of .td files between lines of mlir-tblgen's.
LEFT_OUT = ("docs/Dialects.md", "docs/Passes.md", "docs/ONNX-Conformance.md")
# Written by docs/Generate.cmake from strings of the sources.
GENERATED = ("docs/Heuristics.md", "docs/Operators.md")
FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])( +)")
# A line that is no prose: a table, a heading, HTML, a link's target, a rule.
VERBATIM = re.compile(r"^\s*(\||#{1,6} |<|\[[^\]]+\]: |(?:[-*_] ?){3,}$)")
# What would begin something else than prose at the beginning of a line.
BEGINS_BLOCK = re.compile(r"^([-*+>|]|\d+[.)]|#{1,6}|<.*|```.*|=+|-+)$")
# Code of TableGen with texts for people.
TEXTS = re.compile(r"\b(?:let summary|let description) =|\b(?:List)?Option<|\bStatistic<|\bInterfaceMethod<|\bclEnumValN\(")
# One word: code, a link, or what stands between spaces.
WORD = re.compile(r"(?:`+[^`]+`+|!?\[[^\]]*\]\([^)]*\)|\S)+")


def words_of(text):
    """The words of a paragraph; code and links are one, if they fit into a line."""
    words = []
    for match in WORD.finditer(text):
        word = match[0]
        pieces = re.split(r"\s+", word)
        words += [" ".join(pieces)] if len(word) <= WIDTH * 4 // 5 or len(pieces) == 1 else pieces
    return words


def fill(text, first, rest):
    """The lines of a paragraph, the first one indented by `first`, the others by `rest`."""
    lines, line = [], first
    for word in words_of(text):
        if len(line) == len(rest if lines else first):
            line += word
        elif len(line) + 1 + len(word) <= WIDTH:
            line += " " + word
        elif BEGINS_BLOCK.match(word):  # stays after the word in front of it
            kept, _, last = line.rpartition(" ")
            lines.append(kept)
            line = rest + last + " " + word
        else:
            lines.append(line)
            line = rest + word
    return lines + [line]


def blocks(lines):
    """((kind, first line, lines), ...) of Markdown: `text` is a paragraph or a list item, `rows` are lines that are indented
    without being a list, all else is `other`."""
    found, at, fence, item_width = [], 0, None, 0
    while at < len(lines):
        line = lines[at]
        opens, item = FENCE.match(line), ITEM.match(line)
        indent = len(line) - len(line.lstrip())
        if line.strip() and not item and not opens and not fence and indent < min(item_width, 2):
            item_width = 0  # the list has ended
        is_code = indent >= 4 and not item_width or item_width and indent >= item_width + 4
        if opens or fence or not line.strip() or is_code or (VERBATIM.match(line) and not item):
            fence = (None if opens and fence else fence) or (opens[1] if opens and not fence else None)
            found.append(("other", at, [line]))
            at += 1
            continue
        if item:
            item_width = len(item[0])
        rows = indent and not item and not item_width
        margin, end = len(item[0]) if item else indent, at + 1
        while end < len(lines) and goes_on(lines[end - 1], lines[end], margin, rows):
            end += 1
        found.append(("rows" if rows else "text", at, lines[at:end]))
        at = end
    return found


def goes_on(before, line, margin, rows):
    """True if a line belongs to the paragraph of the line before it, whose lines begin at `margin`, or further right if they are rows."""
    starts, indent = FENCE.match(line) or ITEM.match(line) or VERBATIM.match(line), len(line) - len(line.lstrip())
    return line.strip() and not starts and (indent == margin or rows and indent > margin) and not before.endswith(("  ", "\\"))


def wrap_markdown(lines, width=0):
    """The lines with paragraphs wrapped that have a longer line; `width` columns are in front of all of them."""
    wrapped = []
    for kind, _, block in blocks(lines):
        if kind == "other" or all(len(line) + width <= WIDTH for line in block):
            wrapped += block
            continue
        if kind == "rows":
            wrapped += [line[width:] for line in wrap_parts(block, " " * width)]
            continue
        item = ITEM.match(block[0])
        first = item[0] if item else re.match(r"\s*", block[0])[0]
        text = " ".join([block[0][len(first):], *block[1:]])
        rest = " " * len(first)
        pad = " " * width
        wrapped += [line[width:] for line in fill(text, pad + first, pad + rest)]
    return wrapped


def comment_parts(texts):
    """The paragraphs of a comment: lines of one margin; a line that is indented is one by itself, with those below it that are indented further."""
    parts, longest = [], max(len(text) for text in texts)
    for text in texts:
        margin = len(text) - len(text.lstrip())
        last = parts[-1] if parts else None
        first = len(last[0]) - len(last[0].lstrip()) if last else 0
        word = text.split(" ", 1)[0]
        # The next word would have had room, so the line ends there on purpose.
        ends = last and last[-1].endswith((".", ":")) and len(last[-1]) + 1 + len(word) <= longest
        is_more = last and text.strip() and last[0].strip() and (margin > first if first else not margin and not ends)
        if is_more and not ITEM.match(text) and not VERBATIM.match(text):
            last.append(text)
        else:
            parts.append([text])
    return parts


def wrap_parts(texts, head):
    """The lines of a comment, with `head` in front of each, wrapped where they are longer."""
    wrapped = []
    for part in comment_parts(texts):
        if all(len(head) + len(text) <= WIDTH for text in part) or VERBATIM.match(part[0]):
            wrapped += [(head + text).rstrip() for text in part]
            continue
        item = ITEM.match(part[0])
        margin = item[0] if item else " " * (len(part[0]) - len(part[0].lstrip()))
        hanging = len(part[1]) - len(part[1].lstrip()) if part[1:] else len(margin) + (2 if margin and not item else 0)
        wrapped += fill(" ".join(part)[len(margin):], head + margin, head + " " * hanging)
    return wrapped


def wrap_comments(lines, mark):
    """The lines with comments wrapped that have a longer line."""
    wrapped, at = [], 0
    while at < len(lines):
        found = re.match(rf"\s*{mark} ?", lines[at])
        if not found:
            wrapped.append(lines[at])
            at += 1
            continue
        head, texts = found[0].rstrip() + " ", []
        while at < len(lines) and lines[at].startswith(head.rstrip()) and not re.match(r"[/#!<]", lines[at][len(head) - 1:]):
            texts.append(lines[at][len(head):])
            at += 1
        wrapped += wrap_parts(texts, head)
    return wrapped


def breaks(line):
    """(columns of the line, margin of the rest, depth) of each place where a line of code may be broken."""
    found, opened, quoted, margin = [], [], False, len(line) - len(line.lstrip())
    for at, c in enumerate(line):
        if c == '"' and line[at - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        if c in "([{<":
            opened.append(at + 1)
            if line[at + 1:at + 2] == '"':
                found.append((at + 1, margin + 4, len(opened)))
        elif c in ")]}>" and opened:
            opened.pop()
        elif c == "," and line[at + 1:at + 2] == " ":
            found.append((at + 1, opened[-1] if opened and opened[-1] <= WIDTH * 2 // 3 else margin + 4, len(opened)))
        elif c == "=" and line[at + 1:at + 2] == " " and not opened:
            found.append((at + 1, margin + 4, 0))
    return [one for one in found if margin < one[0] <= WIDTH]


def split_string(line):
    """A line that ends in a long text, as adjacent texts."""
    found = re.fullmatch(r'(\s*)"((?:\\.|[^"\\])*)"(\S*)', line)
    if not found or " " not in found[2]:
        return [line]
    lines, piece = [], ""
    for word in re.findall(r"[^ ]* *", found[2]):
        if piece and len(found[1]) + len(piece) + len(word.rstrip()) + 2 + len(found[3]) > WIDTH:
            lines.append(f'{found[1]}"{piece}"')
            piece = ""
        piece += word
    return lines + [f'{found[1]}"{piece}"{found[3]}']


def wrap_code(line):
    """A line of TableGen or of a list of macros, broken after a comma or `=`; its texts in pieces where they are too long."""
    lines = []
    while len(line) > WIDTH:
        places = breaks(line)
        if not places:
            return lines + split_string(line)
        # As far out as the rest has room, else as far on as this line has.
        fitting = [place for place in places if place[1] + len(line[place[0]:].lstrip()) <= WIDTH]
        at, margin, _ = min(fitting, key=lambda place: (place[2], -place[0])) if fitting else places[-1]
        lines.append(line[:at])
        line = " " * margin + line[at:].lstrip()
    return lines + [line]


def wrap_prose_in_code(lines):
    """Texts that begin after `[{` in the line of their method or name."""
    found = re.match(r"(\s*(?:InterfaceMethod<|string \w+ = )\[\{)(\S.*)", lines[0])
    if not found or all(len(line) <= WIDTH for line in lines):
        return lines
    rest = " " * (len(lines[1]) - len(lines[1].lstrip()))
    text, _, end = " ".join([found[2]] + [line.strip() for line in lines[1:]]).rpartition("}]")
    filled = fill(text.strip() + "}]" + end, found[1], rest)
    return [found[1] + filled[0][len(found[1]):].lstrip()] + filled[1:]


def wrap_tablegen(lines):
    """Descriptions `[{ ... }]` as Markdown, comments, and code outside of other brackets of this kind."""
    wrapped, at = [], 0
    while at < len(lines):
        line = lines[at]
        end = next((i for i in range(at, len(lines)) if "}]" in lines[i]), at) if "[{" in line and "}]" not in line else at
        if re.search(r"description = \[\{\s*$", line):
            body = lines[at + 1:end]
            margin = min((len(text) - len(text.lstrip()) for text in body if text.strip()), default=0)
            filled = wrap_markdown([text[margin:] for text in body], margin)
            wrapped += [line] + [(" " * margin + text).rstrip() for text in filled] + [lines[end]]
        elif end > at:
            wrapped += wrap_prose_in_code(lines[at:end + 1])
        else:
            wrapped += wrap_code(line) if TEXTS.search(line) and "[{" not in line else [line]
        at = end + 1
    return wrap_comments(wrapped, "//+<?")


def wrap(name, text):
    lines = text.split("\n")
    if name.endswith(".md"):
        lines = wrap_markdown(lines)
    elif name.endswith(".td"):
        lines = wrap_tablegen(lines)
    elif name.endswith(".def"):
        lines = [piece for line in wrap_comments(lines, "//+<?") for piece in ([line] if re.match(r"\s*(//|#|\")", line) else wrap_code(line))]
    elif name.endswith(".yaml"):
        lines = wrap_comments(lines, "#")
    return "\n".join(lines)


def files(root):
    folders = ("cmake", "demo", "docs", "generator", "python", "runtime", "specs", "tests")
    paths = sorted(root.glob("*.md")) + [path for folder in folders for path in sorted((root / folder).rglob("*"))]
    for path in paths:
        name = path.relative_to(root).as_posix()
        wanted = path.suffix in (".md", ".td", ".def") or (path.suffix == ".yaml" and name.startswith("specs/"))
        if wanted and path.is_file() and name not in LEFT_OUT:
            yield path, name


def main(root, fix):
    found = []
    for path, name in files(root):
        text = path.read_text()
        wrapped = wrap(name, text)
        if wrapped != text and fix and name not in GENERATED:
            path.write_text(wrapped)
        elif wrapped != text:
            line = next(i for i, (a, b) in enumerate(zip(text.split("\n") + [""], wrapped.split("\n") + [""]), 1) if a != b)
            found.append(f"{name}:{line}: wider than {WIDTH} columns: tests/house/wrapped.py . --fix")
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), "--fix" in sys.argv[2:]))
