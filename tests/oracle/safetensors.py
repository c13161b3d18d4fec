"""Writes and reads safetensors: 8 bytes of header length, a JSON header, then the tensors' bytes without gaps."""
import json


def write(tensors):
    """The file of {name: (dtype, shape, bytes)}, in that order."""
    header, begin = {}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, begin + len(data)]}
        begin += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(data for _, _, data in tensors.values())


def read(file):
    """The reverse, of a file's bytes."""
    length = 8 + int.from_bytes(file[:8], "little")
    header = json.loads(file[8:length])
    return {name: (t["dtype"], tuple(t["shape"]), file[length + t["data_offsets"][0]:length + t["data_offsets"][1]]) for name, t in header.items()}
