"""Changes of good files: texts by lines, words and numbers, binary ones by bytes, fields and lengths."""
import io
import re
import shutil
import struct
import subprocess
import zipfile
from pathlib import Path

import names

ROOT = Path(__file__).resolve().parents[3]
NUMBERS = ["0", "1", "-1", "2", "7", "64", "0.5", "1e30", "-0", "nan", "4294967296", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "?", "*", ""]
FIELDS = [0, 1, 2, 7, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 1 << 20, 0x7fffffff, 0x80000000, 0xffffffff, (1 << 40), (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
TINY = """library: tiny
targets: [x86-64-v2]
graphs:
  - {name: f, inputs: {x: "f32[4]"}, nodes: [{name: y, op: Relu, inputs: [x]}], outputs: [y]}
"""
PRODUCT = """library: tiny
targets: [x86-64-v3]
graphs:
  - {name: f, inputs: {x: "f32[8, 16]", w: "f32[16, 8]"}, nodes: [{name: y, op: MatMul, inputs: [x, w]}], outputs: [y]}
"""


class Case:
    """Files, a command, the exit codes that it may have, and a command that must succeed after it."""

    def __init__(self, files, command, codes=(0, 1, 2), then=None):
        self.files, self.command, self.codes, self.then = files, command, codes, then


def changed_text(rng, text):
    """One to three changes of lines, words or numbers."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        lines, words, digits = text.split("\n"), list(re.finditer(r"[\w.$@%]+", text)), list(re.finditer(r"-?\d+", text))
        how, at = rng.randrange(9), rng.randrange(len(lines))
        if how == 0:
            text = "\n".join(lines[:at] + lines[at + 1:])
        elif how == 1:
            text = "\n".join(lines[:at] + [lines[at]] * rng.choice([2, 2, 200]) + lines[at + 1:])
        elif how == 2 and digits:
            where = rng.choice(digits)
            text = text[:where.start()] + rng.choice(NUMBERS) + text[where.end():]
        elif how in (3, 4) and words:
            where, other = rng.choice(words), rng.choice(words)
            text = text[:where.start()] + (other.group() if how == 3 else "") + text[where.end():]
        elif how == 5 and words:
            where = rng.choice(words)
            text = text[:where.start()] + names.word(rng) + text[where.end():]
        elif how == 6:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
            text = "\n".join(lines)
        elif how == 7 and text:
            text = text[:rng.randrange(len(text))]
        elif text:
            where = rng.randrange(len(text))
            text = text[:where] + chr(rng.choice([0, 9, 10, 13, 34, 35, 39, 58, 91, 123, 0x7f, 0xe9, 0xfeff, rng.randrange(32, 127)])) + text[where + 1:]
    return text


def changed_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 3])):
        if not data:
            break
        how, at = rng.randrange(6), rng.randrange(len(data))
        if how == 0:
            del data[at:]
        elif how == 1:
            data[at:at + rng.randint(1, 16)] = bytes(rng.randrange(256) for _ in range(rng.randint(0, 16)))
        elif how in (2, 3):
            size = rng.choice([1, 2, 4, 8])
            at -= at % size
            data[at:at + size] = struct.pack("<Q", rng.choice(FIELDS))[:size]
        elif how == 4:
            data[at] ^= 1 << rng.randrange(8)
        else:
            other = rng.randrange(len(data))
            data[at:at] = data[other:other + rng.randint(1, 64)]
    return bytes(data)


def texts_of(folder, suffix, largest=20000):
    paths = sorted(path for path in (ROOT / folder).rglob(f"*{suffix}") if path.stat().st_size <= largest)
    assert paths, folder
    return [path.read_text(errors="surrogateescape") for path in paths]


def npy(shape="(4, 8)", descr="<f4", size=128):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(range(size))


def safetensors():
    header = b'{"w":{"dtype":"F32","shape":[4,8],"data_offsets":[0,128]},"v":{"dtype":"I64","shape":[2],"data_offsets":[128,144]}}'
    return struct.pack("<Q", len(header)) + header + bytes(range(144))


def npz():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", npy("(8, 16)", size=0) + bytes(512))
        archive.writestr("w.npy", npy("(16, 8)", size=0) + bytes(512))
        archive.writestr("y.npy", npy("(8, 8)", size=0) + bytes(256))
    return file.getvalue()


def varint(number):
    data = b""
    while number > 127:
        data, number = data + bytes([number & 127 | 128]), number >> 7
    return data + bytes([number])


def field(number, value):
    """A field of a protobuf: a number, or bytes with their length."""
    return varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + varint(len(value)) + value


def tensor_pb():
    """An onnx.TensorProto: f32[4], named x."""
    return field(1, 4) + field(2, 1) + field(8, b"x") + field(9, struct.pack("<4f", 1, 2, 3, 4))


def model(name=b"x", node=b"n", result=b"y", value=b"v"):
    """An onnx.ModelProto of opset 17: y = x + v, f32[4] each."""
    def info(of):
        return field(1, of) + field(2, field(1, field(1, 1) + field(2, field(1, field(1, 4)))))
    graph = field(1, field(1, name) + field(1, value) + field(2, result) + field(3, node) + field(4, b"Add")) + field(2, b"g")
    graph += field(11, info(name)) + field(11, info(value)) + field(12, info(result))
    return field(1, 8) + field(7, graph) + field(8, field(1, b"") + field(2, 17))


def with_weights(file):
    return TINY.replace('inputs: {x: "f32[4]"}', f'inputs: {{x: "f32[4, 8]"}}, weights: {{w: {{type: "f32[4, 8]", file: {file}}}}}').replace(
        "op: Relu, inputs: [x]", "op: Add, inputs: [x, w]")


MLIR = "func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {\n  %z = arith.addf %x, %y : tensor<4xf32>\n  return %z : tensor<4xf32>\n}\n"
TEMPLATE = "template.func {S : any_shape}\n@my.t(%x : tensor<Sxf32>) -> tensor<Sxf32> {\n  %y = math.tanh %x : tensor<Sxf32>\n  return %y : tensor<Sxf32>\n}\n"
EXTERN = """library: tiny
targets: [x86-64-v2]
graphs:
  - {name: f, inputs: {x: "f32[4]"}, nodes: [{name: n, op: extern, symbol: mine, inputs: [x], outputs: {y: "f32[4]"}}], outputs: [y]}
"""
EXTERN_C = """#include <stddef.h>
static const float table[4] = {1, 2, 3, 4};
float mine_more = 2;
int mine(const float *x, float *y, void *workspace, size_t size) {
  for (int i = 0; i < 4; ++i)
    y[i] = x[i] * table[i] * mine_more;
  return workspace == NULL && size != 0;
}
"""


def linked_object(folder):
    (folder / "mine.c").write_text(EXTERN_C)
    subprocess.run([shutil.which("cc") or "cc", "-O1", "-c", "-fPIC", "mine.c", "-o", "mine.o"], cwd=folder, check=True)
    return (folder / "mine.o").read_bytes()


def readers(kgen, work):
    """Reader -> a function of a generator of random numbers and a number that makes a case."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    specs, mlir, templates = texts_of("tests/errors", ".yaml") + texts_of("specs/graphs", ".yaml"), texts_of("tests/ingress", ".mlir") + [MLIR], texts_of("tests/templates", ".mlir") + [TEMPLATE]
    targets = [re.sub(r"(?m)^name: .*", "name: t", text) for text in texts_of("specs/targets", ".yaml") if "machine:" not in text]
    good = texts_of("specs/graphs", ".yaml", 3000) + texts_of("tests/numerics/ops", ".yaml", 3000) + [TINY, PRODUCT, EXTERN]
    binary = linked_object(work)
    (work / "tiny.yaml").write_text(TINY)
    subprocess.run([kgen, "generate", "tiny.yaml", "-o", "out", "-q"], cwd=work, check=True)
    out = {f"out/{path.relative_to(work / 'out')}": path.read_bytes() for path in (work / "out").rglob("*") if path.is_file()}
    manifest = out["out/tiny.manifest.json"].decode()

    def text(rng, number, texts):
        """The first case of each reader is a good file."""
        return changed_text(rng, rng.choice(texts)) if number else texts[-1]

    def data(rng, number, seed):
        return changed_bytes(rng, seed) if number else seed

    def spec(rng, number):
        return Case({"s.yaml": text(rng, number, rng.choice([specs, good, good]) if number else good)}, ["check", "s.yaml"])

    def target(rng, number):
        return Case({"s.yaml": TINY, "t.yaml": text(rng, number, targets)}, ["generate", "s.yaml", "-o", "out", "-q", "--target", "./t.yaml"])

    def mlir_file(rng, number):
        return Case({"f.mlir": text(rng, number, mlir)}, ["check", "f.mlir"])

    def template(rng, number):
        return Case({"s.yaml": TINY.replace("graphs:", "templates: [t.mlir]\ngraphs:"), "t.mlir": text(rng, number, templates)}, ["check", "s.yaml"])

    def weights(name, seed):
        return lambda rng, number: Case({"s.yaml": with_weights(name), name: data(rng, number, seed)}, ["generate", "s.yaml", "-o", "out", "-q"])

    def archive(rng, number):
        return Case({"s.yaml": PRODUCT, "a.npz": data(rng, number, npz())}, ["verify", "s.yaml", "--against", "a.npz"])

    def pb(rng, number):
        return Case({"net.onnx": model(), "v.pb": data(rng, number, tensor_pb())}, ["check", "net.onnx", "--value", "v=v.pb"])

    def link(rng, number):
        return Case({"s.yaml": EXTERN, "l.o": data(rng, number, binary)}, ["check", "s.yaml", "--link", "l.o"])

    def folder(rng, number):
        words = ["--check"] if number % 2 else []
        changed = changed_text(rng, manifest) if number else manifest
        return Case({**out, "s.yaml": TINY, "out/tiny.manifest.json": changed}, ["generate", "s.yaml", "-o", "out", "-q", *words], (0, 1, 4))

    return {"spec": spec, "target": target, "mlir": mlir_file, "template": template, "npy": weights("w.npy", npy()),
            "safetensors": weights("w.safetensors", safetensors()), "npz": archive, "pb": pb, "link": link, "manifest": folder, **names.readers(TINY, Case, model)}
