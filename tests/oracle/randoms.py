"""Numbers that every version of Python makes: those of the standard generator, seeded by a text, many at a time.
tests/end_to_end/RandomNumbers.cpp draws the same ones."""
import random

import numpy as np

# What was drawn since the list was emptied, by count: tables name the seed of an input that is in it.
drawn = {}


class Draw:
    """`values`: reals at least `low` and less than `high`, each rounded to four digits, or integers."""

    def __init__(self, seed, low, high, values):
        self.seed, self.low, self.high, self.values = seed, low, high, values
        self.is_real = values.dtype.kind == "f"


def remember(seed, low, high, values):
    drawn.setdefault(len(values), {}).setdefault((seed, low, high, values.dtype.kind), Draw(seed, low, high, values))
    return values


def _generator(seed):
    """numpy's Mersenne Twister in the state of Random(seed): the same words of 32 bits."""
    *key, position = random.Random(seed).getstate()[1]
    generator = np.random.MT19937()
    generator.state = {"bit_generator": "MT19937", "state": {"key": np.array(key, np.uint32), "pos": position}}
    return generator


def reals(seed, count):
    """Random(seed).random(), so many times: 53 bits of two words."""
    words = _generator(seed).random_raw(2 * count).reshape(count, 2)
    return ((words[:, 0] >> 5) * 67108864.0 + (words[:, 1] >> 6)) / 9007199254740992.0


def _bits(generator, bits, count):
    """getrandbits(bits), so many times: the upper bits of a word; of more than 32 the lower ones are a word before it."""
    if bits <= 32:
        return generator.random_raw(count) >> np.uint64(32 - bits)
    words = generator.random_raw(2 * count).reshape(count, 2)
    return words[:, 0] | (words[:, 1] >> np.uint64(64 - bits)) << np.uint64(32)


def short_reals(seed, low, high, count):
    """Of four digits, which keep tables small and are exact in them."""
    values = low + (high - low) * reals(seed, count)
    return remember(seed, low, high, np.array([float(f"{v:.4g}") for v in values.tolist()], np.float64))


def integers(seed, low, high, count):
    """Random(seed).randrange(low, high), so many times: what is too large is drawn again."""
    size = high - low
    generator, found = _generator(seed), np.zeros(0, np.uint64)
    while len(found) < count:
        drawn = _bits(generator, size.bit_length(), 2 * (count - len(found)) + 8)
        found = np.concatenate([found, drawn[drawn < size]])
    return remember(seed, low, high, found[:count].astype(np.int64) + low).copy()
