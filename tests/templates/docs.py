"""Writes the files of docs/Templates.md into FOLDER, and its commands as run.sh: docs.py DOCUMENT FOLDER"""
import re
import sys
from pathlib import Path


def main():
    text, folder = Path(sys.argv[1]).read_text(), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "my_ops.mlir").write_text(re.search(r"```mlir\n(.*?)```", text, re.DOTALL)[1])
    (folder / "mine.yaml").write_text(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])
    commands = re.findall(r"^    (kgen.*)$", text, re.MULTILINE)
    (folder / "run.sh").write_text("\n".join(commands) + "\n")


main()
