#!/usr/bin/env python3
"""Writes the weight files of tests/errors, good and bad. Needs nothing but Python; run it in its folder."""
import json
import os
import struct

DATA = struct.pack("<3f", 1.0, 2.0, 3.0)


def npy(name, descr="'<f4'", shape="(3,)", order="False", data=DATA, magic=b"\x93NUMPY", version=(1, 0), header=None):
    text = header or "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    text = text.encode() + b" " * (-(len(text) + 11) % 64) + b"\n"
    width = "<H" if version[0] == 1 else "<I"
    with open(name + ".npy", "wb") as file:
        file.write(magic + bytes(version) + struct.pack(width, len(text)) + text + data)


def safetensors(name, header, data=DATA, length=None):
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    with open(name + ".safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text) if length is None else length) + text + data)


def tensor(begin, end, shape=(3,), dtype="F32"):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def npy_files():
    npy("f32")
    npy("f32-v2", version=(2, 0))
    npy("f32-v3", version=(3, 0))
    npy("f64", descr="'<f8'", data=struct.pack("<3d", 1.0, 2.0, 3.0))
    npy("bool", descr="'|b1'", data=b"\0\1\1")
    npy("truncated", data=DATA[:-1])
    npy("oversized", data=DATA + b"\0")
    npy("fortran", shape="(3, 2)", order="True", data=DATA * 2)
    npy("big-endian", descr="'>f4'")
    npy("structured", descr="[('x', '<f4')]")
    npy("bad-header", header="{'descr': '<f4', 'shape': (3,")
    npy("bad-magic", magic=b"\x93NUMPI")
    npy("bad-version", version=(9, 0))
    npy("huge-shape", shape="(4294967296, 4294967296)")
    npy("bool-values", descr="'|b1'", data=b"\0\1\2")
    with open("short-header.npy", "wb") as file:
        file.write(b"\x93NUMPY\1\0\xff\xff{'descr'")
    with open("empty.npy", "wb"):
        pass


def safetensors_files():
    good = {"__metadata__": {"format": "pt"}, "weight": tensor(0, 12)}
    safetensors("good", good)
    safetensors("truncated", good, DATA[:-1])
    safetensors("oversized", good, DATA + b"\0")
    safetensors("overlap", {"weight": tensor(0, 12), "other": tensor(8, 12, (1,))})
    safetensors("gap", {"weight": tensor(0, 8, (2,)), "other": tensor(9, 12, (3,), "U8")})
    safetensors("json", '{"weight": {"dtype": "F32", }')
    safetensors("length", good, length=1 << 60)
    safetensors("size", {"weight": tensor(0, 12, (4,))})
    safetensors("duplicate", '{"weight": %s, "weight": %s}' % ((json.dumps(tensor(0, 12)),) * 2))
    safetensors("dtype", {"weight": tensor(0, 12, (3,), "F8_E8M0")})
    safetensors("nesting", '{"weight": ' + "[" * 1000 + "]" * 1000 + "}")
    safetensors("negative", {"weight": tensor(-4, 8)})


os.chdir(os.path.dirname(os.path.abspath(__file__)))
npy_files()
safetensors_files()
