"""Compares the #include lines of the generator with the edges that its README draws: includes.py GENERATOR-FOLDER

Reports includes without an edge, edges without an include, folders that are not drawn, cycles, and includes of a component's files from
outside of it, but for its header. The block `includes` draws the generator's folders, `transforms` and `driver` those within these,
`components` folders with their header. Each folder within `backend` is drawn as one of its own, `backend/x86`:
whoever includes the interface of back ends does not include any of them.
"""
import re
import sys
from pathlib import Path

SOURCES = {".h", ".cpp", ".in", ".inc", ".td"}
BACK_ENDS = "backend"
INCLUDE = re.compile(r'^\s*#?include\s+(["<])([^">]+)[">]', re.MULTILINE)


def block(text, name):
    """The lines of the README's fenced block of that name."""
    found = re.search(r"```" + name + r"\n(.*?)```", text, re.DOTALL)
    if not found:
        raise SystemExit(f"README.md has no block '{name}'")
    return found[1].splitlines()


def drawn_edges(text, name):
    edges = {}
    for line in block(text, name):
        folder, _, targets = line.partition("->")
        edges[folder.strip()] = set(targets.split())
    return edges


def drawn_libraries(text):
    libraries = {}
    for line in block(text, "libraries"):
        library, _, folders = line.partition(" in ")
        libraries[library.strip()] = set(folders.split())
    return libraries


def folder_of(file):
    """Of a file's path below the generator."""
    parts = file.split("/")
    return "/".join(parts[:2]) if parts[0] == BACK_ENDS and len(parts) > 2 else parts[0]


def folders_of(root):
    folders = {path.name for path in root.iterdir() if path.is_dir()}
    return folders | {f"{BACK_ENDS}/{path.name}" for path in (root / BACK_ENDS).glob("*") if path.is_dir()}


def includes(root):
    """(folder, file, what is included) for each line."""
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if path.is_file() and path.suffix in SOURCES and len(relative.parts) > 1:
            for _, included in INCLUDE.findall(path.read_text()):
                yield folder_of(relative.as_posix()), relative, included


def includes_within(root, name):
    """The same of the folders of root / name, relative to it; the generator's other folders left out."""
    for folder, path, included in includes(root / name):
        if included.startswith(name + "/"):
            yield folder, path, included[len(name) + 1:]


def cycle(edges):
    """A folder that reaches itself, or None."""
    def reaches(start):
        seen, todo = set(), list(edges[start])
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo.extend(edges.get(at, ()))
        return seen
    return next((folder for folder in edges if folder in reaches(folder)), None)


def compare(root, edges, libraries, found):
    """Problems of the folders of `root`; `found` as includes() yields it."""
    folders = folders_of(root)
    problems = [f"{folder}: in the README or in the tree, but not in both" for folder in sorted(folders ^ set(edges))]
    unused = {(folder, target) for folder, targets in edges.items() for target in targets}
    unused |= {(folder, library) for library, users in libraries.items() for folder in users}
    for folder, path, included in found:
        target = folder_of(included)
        if target in libraries and target not in folders:
            allowed = folder in libraries[target]
        elif target in folders and "/" in included:
            allowed = target == folder or target in edges.get(folder, ())
        else:
            continue
        unused.discard((folder, target))
        if not allowed:
            problems.append(f"{path}: may not include {included}")
    problems += [f"{folder} -> {target}: drawn, but nothing includes it" for folder, target in sorted(unused)]
    if folder := cycle(edges):
        problems.append(f"{folder}: includes itself in the end")
    return problems


def components(root, text):
    """Problems of the folders of components, which others name through one header."""
    problems = []
    for line in block(text, "components"):
        folders, _, header = (part.strip() for part in line.partition("->"))
        inside = tuple(folder + "/" for folder in folders.split())
        if not header.startswith(inside) or not (root / header).is_file():
            problems.append(f"{header}: is no header of {folders}")
        for _, path, included in includes(root):
            if included.startswith(inside) and included != header and not path.as_posix().startswith(inside):
                problems.append(f"{path}: may not include {included}, but {header}")
    return problems


def check(root):
    text = (root / "README.md").read_text()
    problems = components(root, text)
    problems += compare(root, drawn_edges(text, "includes"), drawn_libraries(text), includes(root))
    for within in (root / "transforms", root / "driver"):
        if within.is_dir():
            problems += compare(within, drawn_edges(text, within.name), {}, includes_within(root, within.name))
    return problems


if __name__ == "__main__":
    found = check(Path(sys.argv[1]))
    print("\n".join(found))
    sys.exit(bool(found))
