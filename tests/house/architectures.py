"""What belongs to one architecture stands in its back end only: architectures.py GENERATOR-FOLDER FEATURE-TABLE

Outside of backend/<architecture>, no literal is the name of a CPU feature of the table, no intrinsic of an architecture is called, by
C's headers or by LLVM's names, no dialect of an architecture's instructions is included, and LLVM's libraries for one are not asked.
"""
import re
import sys
from pathlib import Path

SOURCES = {".h", ".cpp", ".td", ".def", ".in"}
FEATURE = re.compile(r'^KGEN_CPU_FEATURE\("([^"]+)"', re.MULTILINE)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# In a list as LLVM or a compiler takes it: "+avx2,+fma", "avx2,fma".
SEPARATORS = re.compile(r"[,+ ]")
EXAMPLES = {"dialect/kgen/Kgen.td"}  # documents #kgen.target, which names features
FORBIDDEN = {
    "a header of intrinsics": re.compile(r"#include\s+<(?:\w*mmintrin|immintrin|x86intrin|cpuid|arm_\w+)\.h>"),
    "an intrinsic in LLVM's spelling": re.compile(r"\bllvm\.(?:x86|aarch64|arm|nvvm|amdgcn)\."),
    "an intrinsic in C": re.compile(r"\b(?:_mm\d*_|__builtin_ia32_|__get_cpuid)\w*\("),
    "a dialect of instructions": re.compile(r"mlir/Dialect/(?:AMX|X86Vector|ArmNeon|ArmSVE|ArmSME|NVGPU|AMDGPU)/"),
    "LLVM's library for an architecture": re.compile(r"\b(?:LLVMInitialize(?:X86|AArch64|ARM)\w*|llvm::(?:X86|AArch64)::|(?:X86|AArch64)TargetParser)"),
}


def found_in(text, features):
    """(line, what) of each violation."""
    for number, line in enumerate(text.splitlines(), 1):
        for literal in LITERAL.findall(line):
            if literal in features or ("," in literal or "+" in literal) and features & set(SEPARATORS.split(literal)):
                yield number, f'"{literal}" names a CPU feature'
        for what, pattern in FORBIDDEN.items():
            if pattern.search(line):
                yield number, what


def check(generator, features):
    problems = []
    for path in sorted(generator.rglob("*")):
        relative = path.relative_to(generator)
        if path.suffix in SOURCES and not (relative.parts[0] == "backend" and len(relative.parts) > 2):
            known = set() if relative.as_posix() in EXAMPLES else features
            problems += [f"{relative}:{line}: {what}; it belongs in backend/<architecture>"
                         for line, what in found_in(path.read_text(), known)]
    return problems


if __name__ == "__main__":
    names = set(FEATURE.findall(Path(sys.argv[2]).read_text()))
    found = check(Path(sys.argv[1]), names)
    print("\n".join(found) or f"{len(names)} features are named in back ends only")
    sys.exit(bool(found) or len(names) < 30)
