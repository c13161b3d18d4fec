"""Streams in blocks are what one call over all samples gives: audio.py FOLDER, in which docs/Audio.md's specs and shared libraries with
Python modules are: `tcn` beside `tcn_whole`, and `any` in blocks whose sizes change."""
import sys

sys.path.insert(0, sys.argv[1])

import numpy as np  # noqa: E402

import any as blocks  # noqa: E402
import tcn  # noqa: E402
import tcn_whole  # noqa: E402

random = np.random.default_rng(1)


def in_blocks(sound):
    net = tcn.load()
    state = net.State()
    return np.concatenate([net.block(np.ascontiguousarray(sound[:, :, at:at + 64]), state) for at in range(0, sound.shape[2], 64)], axis=2)


def of_sizes(sound, sizes):
    net = blocks.load()
    state, at, parts = net.State(), 0, []
    for size in sizes:
        parts.append(net.block(sound[at:at + size], state))
        at += size
    return np.concatenate(parts)


sound = random.standard_normal((1, 16, 640)).astype(np.float32)
whole = tcn_whole.load().whole(np.concatenate([np.zeros((1, 16, 8), np.float32), sound], axis=2))
if abs(in_blocks(sound) - whole).max() > 1e-5:
    sys.exit("convolutions in blocks differ from one call")
sound = random.standard_normal((300, 1, 1)).astype(np.float32)
one = of_sizes(sound, [300])
for sizes in ([64, 128, 64, 44], [1, 7, 100, 192], [150, 150]):
    if abs(of_sizes(sound, sizes) - one).max() > 1e-5:
        sys.exit(f"blocks of {sizes} differ from one call")
print("blocks are one stream")
