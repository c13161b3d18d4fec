"""Which functions of two objects differ: node_code.py OBJECT OTHER NAME...; every one must be called NAME or begin with it, and some must differ."""
import re
import subprocess
import sys


def functions(path):
    """The instructions of each function, without addresses."""
    text = subprocess.run(["llvm-objdump", "-dr", "--no-show-raw-insn", "--no-leading-addr", path], check=True, capture_output=True, text=True).stdout
    parts = re.split(r"^<([^>]+)>:$", text, flags=re.MULTILINE)
    return {name: re.sub(r"0x[0-9a-f]+ <", "<", code) for name, code in zip(parts[1::2], parts[2::2])}


old, new = functions(sys.argv[1]), functions(sys.argv[2])
assert old, "no functions"
differing = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
print("\n".join(differing))
assert differing, "nothing differs"
strangers = [name for name in differing if not any(re.fullmatch(allowed, name) for allowed in sys.argv[3:])]
sys.exit(f"functions of other operations differ: {' '.join(strangers)}" if strangers else 0)
