"""Draws docs/speed.svg, the picture of the front page, from docs/networks.svg (oneDNN) and the table of docs/Compared.md (onnxruntime):
speed_chart.py ROOT [--check], which compares the picture with what would be drawn.
"""
import re
import sys
from pathlib import Path

LABEL, PLOT, TOP, BAR, GAP = 170, 430, 74, 12, 12
LARGEST = 3.5  # times as fast, at the right edge
KINDS = [("onednn", "#1f6f8b", "oneDNN, f32"), ("floats", "#7aa5d6", "onnxruntime, f32"), ("bytes", "#c4572a", "onnxruntime, bytes")]
STYLE = """<style>
@media (prefers-color-scheme: dark) {
svg { fill: #dfe3e8; }
.page { fill: #16191d; }
.grid { stroke: #3a4048; }
.one { stroke: #a3adb8; }
}
</style>"""


def x_of(ratio):
    return LABEL + ratio / LARGEST * PLOT


def text(x, y, content, anchor="start", size=11):
    return f'<text x="{x:.0f}" y="{y}" text-anchor="{anchor}" font-size="{size}">{content}</text>'


def figures(root):
    """For each network the ratios by kind, and what the captions say."""
    picture, page = (root / "docs/networks.svg").read_text(), (root / "docs/Compared.md").read_text()
    words = re.findall(r">([^<>\n]+)</text>", picture)
    rows = {}
    for network, ratio in zip([w for w in words if re.match(r"[a-z]\w+ [a-z]+$", w)], [w for w in words if re.match(r"\d\.\d\d x$", w)], strict=True):
        rows.setdefault(network.replace("_", "-"), {})["onednn"] = float(ratio.split()[0])
    for network, type, ratio in re.findall(r"^\| ([\w -]+) \| (f32|bytes) \| [\w-]+ \| [\d.]+ \| [\d.]+ \| (\d+\.\d\d) \|$", page, re.MULTILINE):
        rows.setdefault(network, {})["floats" if type == "f32" else "bytes"] = float(ratio)
    peer = next(w for w in words if w.startswith("oneDNN "))
    machine = next(w for w in words if "1 thread, " in w).split("1 thread, ")[1]
    runtime = re.search(r"onnxruntime-node (\d[\d.]*\d) of npm", page)[1]
    return rows, peer, machine, runtime


def draw(root):
    rows, peer, machine, runtime = figures(root)
    svg, y = [], TOP
    for network, ratios in rows.items():
        kinds = [(name, color) for name, color, _ in KINDS if name in ratios]
        svg.append(text(LABEL - 10, y + BAR * len(kinds) / 2 + 4, network, "end", 12))
        for name, color in kinds:
            svg.append(f'<rect x="{LABEL}" y="{y}" width="{x_of(ratios[name]) - LABEL:.0f}" height="{BAR - 1}" fill="{color}"/>')
            svg.append(text(x_of(ratios[name]) + 5, y + BAR - 2, f"{ratios[name]:.2f}", size=10))
            y += BAR
        y += GAP
    width, height = LABEL + PLOT + 60, y + 30
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" fill="#24292f">',
            STYLE, f'<rect class="page" width="{width}" height="{height}" fill="#ffffff"/>', text(LABEL, 22, "Networks: kgen, times as fast as", size=13)]
    place = LABEL
    for _, color, label in KINDS:
        head.append(f'<rect x="{place}" y="34" width="10" height="10" fill="{color}"/>' + text(place + 15, 43, label))
        place += 30 + 7 * len(label)
    for ratio in (0, 1, 2, 3):
        head.append(f'<path class="{"one" if ratio == 1 else "grid"}" d="M{x_of(ratio):.0f} {TOP - 8}V{y - GAP + 6}" stroke="{"#57606a" if ratio == 1 else "#d8dee4"}"/>')
        head.append(text(x_of(ratio), TOP - 12, f"{ratio} x", "middle", 10))
    foot = text(LABEL, y + 14, f"1 thread, {machine}; {peer}; onnxruntime {runtime}, AVX-512 and VNNI", size=10)
    return "\n".join([*head, *svg, foot, "</svg>"]) + "\n"


def main(root, check=""):
    root = Path(root)
    path, drawing = root / "docs/speed.svg", draw(root)
    if not check:
        path.write_text(drawing)
    elif path.read_text() != drawing:
        sys.exit("docs/speed.svg differs from docs/networks.svg and docs/Compared.md: python3 tests/bench/speed_chart.py . draws it")


if __name__ == "__main__":
    main(*sys.argv[1:])
