"""architectures.py on made-up sources: each kind of violation is found, and back ends may have them."""
import tempfile
from pathlib import Path

from architectures import check

FEATURES = {"avx2", "fma"}


def problems(text, name="transforms/A.cpp"):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.parent.mkdir(parents=True)
        file.write_text(text + "\n")
        return check(Path(folder), FEATURES)


VIOLATIONS = ['hasFeature("avx2")', '__attribute__((target("avx2,fma")))', 'features = "+fma";', '// by LLVM\'s name ("fma")',
              "#include <immintrin.h>", "#include <cpuid.h>", 'call("llvm.x86.sse.sfence")', "_mm_clflush(line);",
              "#include <mlir/Dialect/X86Vector/X86VectorDialect.h>", "LLVMInitializeX86Target();",
              "#include <llvm/TargetParser/X86TargetParser.h>"]
for violation in VIOLATIONS:
    assert len(problems(violation)) == 1, violation
    assert problems(violation, "backend/x86/A.cpp") == [], violation
    assert problems(violation, "backend/A.cpp") != [], violation
for clean in ['costOf(cpu, "fma_f32")', "cpu.hasFma", '"x86-64-v4"', '"amx"', "// vpermps of AVX2"]:
    assert problems(clean) == [], clean
