"""Code for the tests' CUDA driver: cuda_code.py IR.ll PTX FOLDER [--clang CLANG] [--no-checks]

IR.ll is the LLVM IR (of NVPTX) from which the PTX was made; PTX a file with it, or a library's <library>_gpu.c, which has it. FOLDER gets <hash of the PTX>.so: the same IR for the CPU, in which each access of memory
is reported to the driver first. Intrinsics are functions of the driver, "kgi." in front of what follows "llvm.nvvm.".
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SHARED, GLOBAL = 3, 0
SIZES = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8}
POINTER = r"ptr(?: addrspace\((?P<space>\d+)\))? (?P<at>.+?), align (?P<align>\d+)\b"
LOAD = re.compile(r"^\s+\S+ = load (?:volatile )?(?P<type><[^>]*>|[\w.]+), " + POINTER)
STORE = re.compile(r"^\s+store (?:volatile )?(?P<type><[^>]*>|[\w.]+) .*?, " + POINTER)
BEGIN, END = "__start_kgen_shared", "__stop_kgen_shared"


def size_of(name):
    """Bytes of a type, or None where it is neither a number nor a vector of numbers."""
    vector = re.fullmatch(r"<(\d+) x (.*)>", name)
    if vector:
        element = size_of(vector[2])
        return element and int(vector[1]) * element
    integer = re.fullmatch(r"i(\d+)", name)
    return (int(integer[1]) + 7) // 8 if integer else SIZES.get(name)


def instrumented(text):
    """Reports each load and store before it is done: the text, and the number of places."""
    lines, number = [], 0
    for line in text.splitlines():
        found, is_written = LOAD.match(line), False
        if not found:
            found, is_written = STORE.match(line), True
        size = size_of(found["type"]) if found else None
        if size:
            number += 1
            space = f" addrspace({found['space']})" if found["space"] else ""
            lines.append(f"  call void @kgen_cuda_access(ptr{space} {found['at']}, i32 {size}, i32 {found['align']}, i32 {int(is_written)}, i32 {number})")
        lines.append(line)
    return "\n".join(lines) + "\n", number


def pair_of_shuffle(found):
    """The function that returns a pair, as LLVM's code returns it, by the one that returns a number."""
    number, name = found[1], found[2]
    parameters = f"(i32 %mask, {number} %value, i32 %parameter, i32 %clamp)"
    other = "" if f'@"{name}"(' in found.string else f'declare {number} @"{name}"(i32, {number}, i32, i32) convergent\n'
    return (f'{other}define internal {{ {number}, i1 }} @"{name}p"{parameters} convergent {{\n  %out = call {number} @"{name}"{parameters}\n'
            f'  %valid = call i32 @"kgi.shfl.valid"()\n  %is_valid = trunc i32 %valid to i1\n'
            f'  %one = insertvalue {{ {number}, i1 }} poison, {number} %out, 0\n  %both = insertvalue {{ {number}, i1 }} %one, i1 %is_valid, 1\n'
            f'  ret {{ {number}, i1 }} %both\n}}\n')


def for_cpu(text):
    """NVPTX's IR as the CPU's: one address space, no attributes of NVPTX, intrinsics as functions."""
    text = re.sub(r"(?m)^(@.* = )(.*)addrspace\(3\) (global [^\n]*?)(, align \d+)?$", r'\1\2addrspace(3) \3, section "kgen_shared"\4', text)
    text = re.sub(r"(?m)^target .*\n", "", text).replace("ptx_kernel ", "")
    text = re.sub(r"\baddrspacecast\b", "bitcast", text)
    text = re.sub(r" ?addrspace\(\d+\)", "", text)
    text = re.sub(r'@llvm\.nvvm\.([\w.]+)', r'@"kgi.\1"', text)
    text = re.sub(r"@llvm\.(mem\w+)((?:\.p\d+)+)", lambda found: f"@llvm.{found[1]}" + ".p0" * found[2].count(".p"), text)
    text = re.sub(r'"(?:target-\w+|tune-cpu|nvvm[\w.]*)"(?:="[^"]*")?', "", text).replace(" immarg", "")
    text = re.sub(r"(?m)^(attributes #\d+ = \{)\s*\}", r"\1 nounwind }", text)  # a group must not be empty
    text = re.sub(r'(?m)^(declare .*@"kgi\.barrier[^\n]*?)( #\d+)?$', r"\1 convergent", text)
    text = re.sub(r'(?m)^declare \{ (\w+), i1 \} @"(kgi\.shfl\.sync\.\w+\.\w+)p"\(.*\n', pair_of_shuffle, text)
    if '@"kgi.shfl.valid"' in text:
        text += 'declare i32 @"kgi.shfl.valid"()\n'
    return text + "declare void @kgen_cuda_access(ptr, i32, i32, i32, i32)\n"


# Roundings to bf16 that the CPU has no instruction for, and older libraries of compilers no function.
ROUNDINGS = """
static __bf16 rounded(unsigned bits) {
  unsigned short upper = (bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 64 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  __bf16 result;
  __builtin_memcpy(&result, &upper, sizeof result);
  return result;
}
__attribute__((weak)) __bf16 __truncsfbf2(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return rounded(bits);
}
/* By way of a float that is rounded to odd: then both roundings are one. */
__attribute__((weak)) __bf16 __truncdfbf2(double x) {
  float near = (float)x;
  unsigned bits;
  __builtin_memcpy(&bits, &near, sizeof bits);
  if (x == x && (double)near != x && !(bits & 1))
    bits += (near > x) == (bits >> 31 == 0) ? -1 : 1;
  return rounded(bits);
}
"""


def fnv(data):
    value = 1469598103934665603
    for byte in data:
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def module_text(path):
    """The PTX, as the library gives it to the driver."""
    if path.suffix != ".c":
        return path.read_bytes()
    modules = re.findall(r"\bkgenrt_module_\d+\[\] = \{([^}]*)\}", path.read_text())
    if len(modules) != 1:
        sys.exit(f"{path}: {len(modules)} modules of PTX, expected one")
    return b"".join(int(word, 16).to_bytes(4, "little") for word in re.findall(r"0x[0-9a-f]+", modules[0])).rstrip(b"\0")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ir", type=Path)
    parser.add_argument("ptx", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--no-checks", action="store_true", help="report no accesses: a product of 256x512 and 512x384 takes 0.13 s in place of 0.48")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        code, extra = Path(scratch) / "code.ll", Path(scratch) / "extra.c"
        text = options.ir.read_text()
        text, places = (text, 0) if options.no_checks else instrumented(text)
        code.write_text(for_cpu(text))
        # The range of shared memory, which a module need not have.
        extra.write_text(f"extern char {BEGIN}[] __attribute__((weak, visibility(\"hidden\"))), {END}[] __attribute__((weak, visibility(\"hidden\")));\n"
                         f"const int kgen_cuda_places = {places};\nchar *kgen_cuda_shared_begin(void) {{ return {BEGIN}; }}\nchar *kgen_cuda_shared_end(void) {{ return {END}; }}\n{ROUNDINGS}")
        target = options.folder / f"{fnv(module_text(options.ptx)):016x}.so"
        done = subprocess.run([options.clang, "-O1", "-ffp-contract=off", "-w", "-fPIC", "-shared", str(code), str(extra), "-lm", "-o", str(target)], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
