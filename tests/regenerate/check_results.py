"""kgen generate --check and --check-results of folders that are another LLVM's or somebody's: generates a library, changes it and expects an answer.

  check_results.py KGEN SCENARIO WORK_FOLDER
"""
import hashlib
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys

SPEC = pathlib.Path(__file__).resolve().parent / "checked.yaml"
OTHER_LLVM = "21.0.0"


def largest_section(contents):
    """Offset and size of the largest section of an ELF file of 64 bits."""
    (table,), (width, count) = struct.unpack_from("<Q", contents, 0x28), struct.unpack_from("<HH", contents, 0x3A)
    return max((struct.unpack_from("<QQ", contents, table + i * width + 0x18) for i in range(count)), key=lambda section: section[1])


class Library:
    def __init__(self, kgen, folder, *options):
        self.kgen, self.folder = kgen, folder / "checked"
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([kgen, "generate", SPEC, "-o", self.folder, "-q", *options], check=True)

    def targets(self):
        return [variant["target"] for variant in json.loads((self.folder / "checked.manifest.json").read_text())["variants"]]

    def edit_manifest(self, edit):
        path = self.folder / "checked.manifest.json"
        manifest = json.loads(path.read_text())
        edit(manifest)
        path.write_text(json.dumps(manifest, indent=2) + "\n")

    def of_other_llvm(self):
        self.edit_manifest(lambda m: m.update(llvm=OTHER_LLVM))
        return self

    def replace(self, path, contents, in_manifest=True):
        (self.folder / path).write_bytes(contents)

        def edit(manifest):
            for entry in manifest["files"]:
                if entry["path"] == path:
                    entry.update(bytes=len(contents), sha256=hashlib.sha256(contents).hexdigest())

        if in_manifest:
            self.edit_manifest(edit)

    def spoil_weight(self, in_manifest=True):
        """One byte of the first number that is not 0: its exponent."""
        path = next(p for p in sorted(self.folder.glob("objects/weights.*.o")) if p.stat().st_size > 1500)
        contents = bytearray(path.read_bytes())
        begin, size = largest_section(contents)
        at = next(i for i in range(begin, begin + size, 4) if any(contents[i:i + 4]))
        contents[at + 3] ^= 0x40
        self.replace(str(path.relative_to(self.folder)), bytes(contents), in_manifest)

    def check(self, *options):
        done = subprocess.run([self.kgen, "generate", SPEC, "-o", self.folder, "--check", *options], capture_output=True, text=True)
        print(done.stdout + done.stderr)
        return done.returncode, done.stdout + done.stderr


def expect(answer, code, *texts):
    if answer[0] != code or any(text not in answer[1] for text in texts):
        sys.exit(f"expected exit code {code} and {texts}, got {answer[0]}")


def same_version(kgen, work):
    answer = Library(kgen, work).check()
    expect(answer, 0, "up to date")
    if "results" in answer[1]:
        sys.exit("results were compared although the bytes decide")


def other_version(kgen, work):
    """--check says what the other LLVM means, --check-results asks the functions."""
    library = Library(kgen, work).of_other_llvm()
    expect(library.check(), 4, f"checked.manifest.json: made by LLVM {OTHER_LLVM}", "--check-results")
    expect(library.check("--check-results"), 0, "ran the functions of", f"the folder is of LLVM {OTHER_LLVM}", "up to date")


def object_of(source, target, work):
    """An object with the function of a variant, in C."""
    (work / "other.c").write_text(source.replace("NAME", f"checked_layer_kernel_{target.replace('-', '_')}"))
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-c", "-fPIC", "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "other.c", "-o",
                    "other.o"], check=True, cwd=work)
    return (work / "other.o").read_bytes()


def code_of_strangers(kgen, work):
    """--check runs nothing of the folder, whatever its manifest says; a function that ends the process is a difference."""
    library = Library(kgen, work).of_other_llvm()
    for target in library.targets():
        library.replace(f"objects/layer.{target}.o", object_of("void NAME(void) { __builtin_trap(); }", target, work))
    expect(library.check(), 4, "made by LLVM")
    expect(library.check("--check-results"), 4, "the process that ran the folder's functions ended by signal")


def variant_of_other_cpu(kgen, work):
    """A variant that this CPU lacks: a damaged object is found without running it."""
    for target in ("x86-64-v4-amx", "x86-64-v4-fp16", "x86-64-v4"):
        options = ["--target", "x86-64-v2", "--target", target]
        library = Library(kgen, work, *options)
        answer = library.check(*options, "--check-results")
        expect(answer, 0, "up to date")
        if f"{target} was compared by its bytes" in answer[1]:
            path = f"objects/layer.{target}.o"
            library.replace(path, (library.folder / path).read_bytes() + b" ")
            expect(library.check(*options, "--check-results"), 4, f"{path}: differs, and this CPU cannot run it")
            return
    print("this CPU has all of them")


def link(kgen, work):
    """A link to a file with the right bytes is no file of the folder."""
    library = Library(kgen, work)
    (library.folder / "checked.h").rename(work / "elsewhere.h")
    (library.folder / "checked.h").symlink_to(work / "elsewhere.h")
    expect(library.check(), 4, "checked.h: no file")
    expect(library.check("--check-results"), 4, "checked.h: no file of the folder's own")


def assembly(kgen, work):
    expect(Library(kgen, work, "--emit", "asm").of_other_llvm().check("--emit", "asm", "--check-results"), 0, "ran the functions of")


def other_code(kgen, work):
    """Code that sums in another order is accepted by its results, not by its bytes. Plain loops need no less workspace than it does."""
    library, other = Library(kgen, work, "--reference"), Library(kgen, work.with_name(work.name + "-other"))
    for path in library.folder.glob("objects/arguments.*.o"):
        name = str(path.relative_to(library.folder))
        library.replace(name, (other.folder / name).read_bytes())
    expect(library.check("--reference"), 4, "objects/arguments.x86-64-v3.o: differs")
    expect(library.check("--reference", "--check-results"), 0, "ran the functions of")


def wrong_weight(kgen, work):
    library = Library(kgen, work).of_other_llvm()
    library.spoil_weight()
    answer = library.check("--check-results")
    expect(answer, 4, "layer in x86-64-v2: inputs in [-1, 1), output 'y'", "elements differ")
    if "arguments in" in answer[1]:
        sys.exit("a graph without weights is said to differ")


def damaged_file(kgen, work):
    library = Library(kgen, work).of_other_llvm()
    library.spoil_weight(in_manifest=False)
    expect(library.check("--check-results"), 4, "not the file that the folder's manifest describes")


def other_header(kgen, work):
    library = Library(kgen, work).of_other_llvm()
    library.replace("checked.h", (library.folder / "checked.h").read_bytes() + b"\n")
    expect(library.check("--check-results"), 4, "checked.h: differs")


def other_interface(kgen, work):
    library = Library(kgen, work).of_other_llvm()
    library.edit_manifest(lambda m: m["graphs"][0]["inputs"][0].update(type="f32[5, 25]"))
    expect(library.check("--check-results"), 4, "checked.manifest.json: 'graphs' differs")


def extra_and_missing(kgen, work):
    library = Library(kgen, work).of_other_llvm()
    (library.folder / "notes.txt").write_text("")
    (library.folder / "checked.c").unlink()
    expect(library.check("--check-results"), 4, "notes.txt: not generated", "checked.c: missing")


def missing_object(kgen, work):
    """An object that neither the folder nor its manifest has: its function cannot be called."""
    library = Library(kgen, work).of_other_llvm()
    name = "objects/layer.x86-64-v2.o"
    (library.folder / name).unlink()
    library.edit_manifest(lambda m: m.update(files=[f for f in m["files"] if f["path"] != name]))
    expect(library.check("--check-results"), 4, "layer in x86-64-v2: ")


SCENARIOS = {f.__name__.replace("_", "-"): f for f in (same_version, other_version, code_of_strangers, variant_of_other_cpu, link, assembly, other_code, wrong_weight, damaged_file,
                                                      other_header, other_interface, extra_and_missing, missing_object)}

if __name__ == "__main__":
    SCENARIOS[sys.argv[2]](sys.argv[1], pathlib.Path(sys.argv[3]))
