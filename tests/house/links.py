"""Relative links and images of all Markdown files lead to files of the tree: links.py ROOT"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def markdown_files(root):
    return [path for path in sorted(root.rglob("*.md")) if not any(part.startswith((".", "build")) for part in path.relative_to(root).parts)]


def broken_links(root):
    for path in markdown_files(root):
        text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
        for link in LINK.findall(text):
            if "://" not in link and not (path.parent / link).exists():
                yield f"{path.relative_to(root)}: there is no {link}"


if __name__ == "__main__":
    found = list(broken_links(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(bool(found))
