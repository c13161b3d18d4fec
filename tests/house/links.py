"""Relative links and images of all Markdown files lead to files of the tree, and their anchors to headings: links.py ROOT"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
FENCED = re.compile(r"```.*?```", flags=re.DOTALL)


def markdown_files(root):
    return [path for path in sorted(root.rglob("*.md")) if not any(part.startswith((".", "build")) for part in path.relative_to(root).parts)]


def anchors(path):
    """Those of the headings of a page, and those that are written out."""
    text = FENCED.sub("", path.read_text())
    headings = re.findall(r"^#+ +(.*?) *$", text, flags=re.MULTILINE)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain} | set(re.findall(r'<a (?:id|name)="([^"]*)"', text))


def broken_links(root):
    for path in markdown_files(root):
        for link, anchor in LINK.findall(FENCED.sub("", path.read_text())):
            if "://" in link:
                continue
            target = path.parent / link if link else path
            if not target.exists():
                yield f"{path.relative_to(root)}: there is no {link}"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                yield f"{path.relative_to(root)}: there is no {link}#{anchor}"


if __name__ == "__main__":
    found = list(broken_links(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(bool(found))
