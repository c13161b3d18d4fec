#!/usr/bin/env python3
"""Trains the demonstration's network: 16x16 drawings of digits, 256-32-10 with Relu and Softmax.

Every digit is a few strokes on a unit square, defined below; images are drawn from them with random shift, size,
rotation, shear, stroke width, wobble and noise. Needs numpy only; the same numpy gives the same files.

    train.py                      writes weights.safetensors beside this file
    train.py --samples DIR        also writes one text-art image of each digit into DIR
    train.py --held-out FILE      also writes 200 labelled text-art images that training never saw
"""
import argparse
import json
import pathlib
import struct

import numpy as np

SIDE = 16
HIDDEN = 32
LEVELS = " .:-=+*#%@"  # grey levels of text art, from empty to full


def arc(cx, cy, rx, ry, start, stop, steps=10):
    """Points on an ellipse; angles in degrees, 0 to the right, 90 down."""
    angles = np.radians(np.linspace(start, stop, steps))
    return [(cx + rx * np.cos(a), cy + ry * np.sin(a)) for a in angles]


# Strokes in a square with x to the right and y down; some digits have two ways to write them.
GLYPHS = {
    0: [[arc(0.5, 0.5, 0.27, 0.4, 0, 360, 16)], [arc(0.5, 0.5, 0.22, 0.4, 0, 360, 16)]],
    1: [[[(0.33, 0.28), (0.54, 0.1), (0.54, 0.9)]],
        [[(0.36, 0.26), (0.52, 0.1), (0.52, 0.9)], [(0.32, 0.9), (0.72, 0.9)]]],
    2: [[arc(0.5, 0.34, 0.25, 0.24, 190, 385) + [(0.25, 0.9), (0.77, 0.9)]]],
    3: [[arc(0.47, 0.3, 0.24, 0.2, 200, 450), arc(0.47, 0.7, 0.27, 0.2, 270, 520)],
        [[(0.25, 0.1), (0.72, 0.1), (0.47, 0.43)] + arc(0.47, 0.67, 0.27, 0.24, 270, 510)]],
    4: [[[(0.62, 0.9), (0.62, 0.1), (0.22, 0.66), (0.8, 0.66)]],
        [[(0.3, 0.1), (0.25, 0.55), (0.75, 0.55)], [(0.65, 0.1), (0.62, 0.9)]]],
    5: [[[(0.73, 0.1), (0.31, 0.1), (0.28, 0.46)] + arc(0.48, 0.66, 0.27, 0.25, 230, 510)]],
    6: [[[(0.66, 0.1), (0.38, 0.36)] + arc(0.5, 0.67, 0.24, 0.23, 190, 560, 14)],
        [arc(0.56, 0.5, 0.32, 0.4, 290, 180, 8) + arc(0.5, 0.68, 0.25, 0.22, 180, 540, 14)]],
    7: [[[(0.24, 0.1), (0.76, 0.1), (0.43, 0.9)]],
        [[(0.24, 0.1), (0.76, 0.1), (0.43, 0.9)], [(0.36, 0.52), (0.72, 0.52)]]],
    8: [[arc(0.5, 0.3, 0.21, 0.2, 0, 360, 14), arc(0.5, 0.7, 0.26, 0.2, 0, 360, 14)]],
    9: [[arc(0.5, 0.33, 0.24, 0.23, 0, 360, 14) + [(0.72, 0.5), (0.58, 0.9)]],
        [arc(0.5, 0.32, 0.25, 0.22, 0, 360, 14), [(0.75, 0.32), (0.74, 0.9)]]],
}


def draw(rng, strokes, count):
    """`count` variations of one glyph: images of shape [count, SIDE * SIDE] in 0..1."""
    angle = rng.normal(0, 0.13, count)
    shear = rng.normal(0, 0.12, count)
    scale_x, scale_y = rng.uniform(0.72, 1.08, (2, count))
    shift = rng.uniform(-0.09, 0.09, (count, 1, 2))
    matrix = np.empty((count, 2, 2))
    matrix[:, 0, 0] = np.cos(angle) * scale_x
    matrix[:, 0, 1] = (shear - np.sin(angle)) * scale_y
    matrix[:, 1, 0] = np.sin(angle) * scale_x
    matrix[:, 1, 1] = np.cos(angle) * scale_y
    width = rng.uniform(0.035, 0.085, (count, 1))

    centres = (np.arange(SIDE) + 0.5) / SIDE
    pixels = np.stack(np.meshgrid(centres, centres), axis=-1).reshape(1, -1, 2)
    nearest = np.full((count, SIDE * SIDE), np.inf)
    for stroke in strokes:
        points = np.asarray(stroke) - 0.5 + rng.normal(0, 0.012, (count, len(stroke), 2))
        points = points @ matrix.transpose(0, 2, 1) + shift + 0.5
        for a, b in zip(points[:, :-1].swapaxes(0, 1), points[:, 1:].swapaxes(0, 1)):
            along, offset = (b - a)[:, None], pixels - a[:, None]
            t = np.clip((offset * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-9), 0, 1)
            nearest = np.minimum(nearest, np.hypot(*np.moveaxis(offset - t[..., None] * along, -1, 0)))
    images = np.clip((width - nearest) * SIDE + 0.5, 0, 1) * rng.uniform(0.75, 1, (count, 1))
    noisy = images + rng.normal(0, 0.06, images.shape) * (rng.random(images.shape) < 0.3)
    return np.round(np.clip(noisy, 0, 1) * 9) / 9  # as text art stores it


def data_set(seed, per_digit):
    """Shuffled images and labels; another seed gives images that share nothing but the strokes."""
    rng = np.random.default_rng(seed)
    images, labels = [], []
    for digit, ways in GLYPHS.items():
        for index, strokes in enumerate(ways):
            count = per_digit // len(ways) + (index < per_digit % len(ways))
            images.append(draw(rng, strokes, count))
            labels += [digit] * count
    order = rng.permutation(len(labels))
    return np.concatenate(images)[order].astype(np.float32), np.array(labels)[order]


def forward(weights, images):
    hidden = np.maximum(images @ weights["w0"] + weights["b0"], 0)
    logits = hidden @ weights["w1"] + weights["b1"]
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return hidden, powers / powers.sum(1, keepdims=True)


def gradients(weights, images, labels):
    hidden, error = forward(weights, images)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    back = (error @ weights["w1"].T) * (hidden > 0)
    return {"w0": images.T @ back, "b0": back.sum(0), "w1": hidden.T @ error, "b1": error.sum(0)}


def train(images, labels, epochs=24, batch=100):
    """Adam with a rate that falls linearly to zero and a little weight decay."""
    rng = np.random.default_rng(1)
    shapes = {"w0": (SIDE * SIDE, HIDDEN), "b0": (HIDDEN,), "w1": (HIDDEN, 10), "b1": (10,)}
    weights = {n: rng.normal(0, (2 / s[0]) ** 0.5, s) if n[0] == "w" else np.zeros(s) for n, s in shapes.items()}
    weights = {n: w.astype(np.float32) for n, w in weights.items()}
    first = {n: np.zeros_like(w) for n, w in weights.items()}
    second = {n: np.zeros_like(w) for n, w in weights.items()}
    steps = epochs * (len(labels) // batch)
    for step in range(steps):
        if step % (len(labels) // batch) == 0:
            order = rng.permutation(len(labels))
        at = step * batch % len(labels)
        chosen = order[at:at + batch]
        rate = 3e-3 * (1 - step / steps)
        for name, gradient in gradients(weights, images[chosen], labels[chosen]).items():
            first[name] = 0.9 * first[name] + 0.1 * gradient
            second[name] = 0.999 * second[name] + 0.001 * gradient**2
            scale = np.sqrt(second[name] / (1 - 0.999 ** (step + 1))) + 1e-8
            weights[name] -= rate * (first[name] / (1 - 0.9 ** (step + 1)) / scale + 1e-3 * weights[name])
    return weights


def write_safetensors(path, tensors):
    header, at = {}, 0
    for name, value in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [at, at + value.nbytes]}
        at += value.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    data = b"".join(value.astype("<f4").tobytes() for value in tensors.values())
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def text_art(image):
    rows = np.round(image.reshape(SIDE, SIDE) * 9).astype(int)
    return "".join("".join(LEVELS[v] for v in row).rstrip() + "\n" for row in rows)


def main():
    here = pathlib.Path(__file__).resolve().parent
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--output", type=pathlib.Path, default=here / "weights.safetensors")
    options.add_argument("--samples", type=pathlib.Path)
    options.add_argument("--held-out", type=pathlib.Path)
    options = options.parse_args()

    weights = train(*data_set(seed=2026, per_digit=2400))
    images, labels = data_set(seed=7, per_digit=500)
    _, probabilities = forward(weights, images)
    print(f"{100 * (probabilities.argmax(1) == labels).mean():.2f} % of {len(labels)} unseen images are right")
    write_safetensors(options.output, weights)
    if options.samples:
        images, labels = data_set(seed=3, per_digit=1)
        for image, label in zip(images, labels):
            (options.samples / f"{label}.txt").write_text(text_art(image))
    if options.held_out:
        images, labels = data_set(seed=11, per_digit=20)
        options.held_out.write_text("".join(f"digit {l}\n{text_art(i)}" for i, l in zip(images, labels)))


if __name__ == "__main__":
    main()
