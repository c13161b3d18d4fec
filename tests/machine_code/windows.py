"""Reads the machine code of depthwise convolutions of bytes: windows.py OBJDUMP OBJECT FORM

What a vector of sums takes, in the whole object: FORM `blocks` is 64 channels in four registers of 512 bits, interleaved by eight
shuffles within 128 bits a column and packed by three instructions; `pixels` is four pixels of eight channels in registers of 256
bits, packed by three instructions and put in order by one. Nothing narrows a register by itself.
"""
import collections
import re
import subprocess
import sys

# For each four registers of sums that are converted: at most, and at least. Columns that pixels share are interleaved once; at both
# ends of a row they are interleaved for fewer pixels.
FORMS = {
    "blocks": ("zmm", {"vpackssdw": (2, 2), "vpackuswb": (1, 1), "vpdpbusd": (12, 8), "vpunpck": (12, 6), "vpmov": (0, 0), "vpermt2d": (0, 0)}),
    "pixels": ("ymm", {"vpackssdw": (2.5, 1.9), "vpackuswb": (1.3, 0.9), "vpmaddwd": (24, 16), "vperm": (1.3, 0.8)}),
}


def counts(objdump, path, register):
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    found = collections.Counter()
    for line in text.splitlines():
        match = re.match(r"\s*[0-9a-f]+:\s+(\S+)\s+(.*)", line)
        if match and register in match[2]:
            found[match[1]] += 1
    return found


def main():
    objdump, path, form = sys.argv[1:]
    register, limits = FORMS[form]
    found = counts(objdump, path, register)
    vectors = found["vcvtps2dq"] / 4
    wrong = ["no sums are converted"] if not vectors else []
    for name, (most, least) in limits.items():
        each = sum(count for mnemonic, count in found.items() if mnemonic.startswith(name)) / max(vectors, 1)
        if not least <= each <= most:
            wrong.append(f"{name}: {each:.2f} for each four registers of sums, expected {least} to {most}")
    print("\n".join(wrong) or f"{vectors:g} times four registers of sums")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
