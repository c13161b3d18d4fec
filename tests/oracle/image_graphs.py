"""Small networks of images, which are committed: what happens between convolutions, pools and what surrounds them."""
import numpy as np

import reference as ref
from cases import F32, F64, uniform
from graph import LONG, Builder
from image_cases import convolution, pooled


class Images(Builder):
    """Nodes on images; other nodes of the graph are the builder's."""

    def conv(self, x, name, out, kernel, bias=True, group=1, constant=True, **window):
        self.arithmetic = True
        make = self.uniform_weight if constant else self.uniform
        w = make(f"filter {name}", (out, x.shape[1] // group, *kernel), -0.5, 0.5)
        b = make(f"bias {name}", (out,)) if bias else None
        y, _, terms = convolution(x.exact, w.exact, None if b is None else b.exact, group=group, **window)
        _, size, _ = convolution(np.abs(x.exact) + x.error, w.exact, None if b is None else b.exact, group=group, **window)
        error, _, _ = convolution(x.error, np.abs(w.exact), None, group=group, **window)
        error = error + terms * self.unit * size + ref.half_ulp(np.abs(y) + error, self.dtype)
        attributes = {**({} if group == 1 else {"group": group}), **window}
        return self.node("Conv", [x, w] + ([b] if bias else []), y, error, **attributes)

    def normalize(self, x, name, constant=True, zero=None):
        """`zero` is a channel that has no variance."""
        self.arithmetic = True
        make = self.uniform_weight if constant else self.uniform
        channels = (x.shape[1],)
        scale, bias, mean = (make(f"{word} {name}", channels) for word in ("scale", "shift", "mean"))
        variance = make(f"variance {name}", channels, 0.5, 2.0)
        if zero is not None:
            variance.exact[zero] = self.inputs[-1][zero] = 0
        per = (1, -1) + (1,) * (len(x.shape) - 2)
        s, b, m, v = (value.exact.reshape(per) for value in (scale, bias, mean, variance))
        factor = s / np.sqrt(v + LONG(1e-5))
        y = (x.exact - m) * factor + b
        size = (np.abs(x.exact) + x.error + np.abs(m)) * np.abs(factor) + np.abs(b)
        return self.node("BatchNormalization", [x, scale, bias, mean, variance], y,
                         x.error * np.abs(factor) + 7 * self.unit * size)

    def max_pool(self, x, kernel, **window):
        reduce = lambda values, _: np.max(values, axis=0)
        y, low, high = (pooled(v, reduce, kernel_shape=kernel, **window) for v in (x.exact, x.exact - x.error, x.exact + x.error))
        return self.node("MaxPool", [x], y, np.maximum(np.abs(high - y), np.abs(y - low)), kernel_shape=kernel, **window)

    def average_pool(self, x, kernel, **window):
        self.arithmetic = True
        mean = lambda values, _: np.sum(values, axis=0) / LONG(len(values))
        y, error, size = (pooled(v, mean, kernel_shape=kernel, **window) for v in (x.exact, x.error, np.abs(x.exact) + x.error))
        terms = int(np.prod(kernel)) + 2
        return self.node("AveragePool", [x], y, error + terms * self.unit * size, kernel_shape=kernel, **window)

    def global_average(self, x):
        self.arithmetic = True
        axes = tuple(range(2, len(x.shape)))
        y, error, size = (np.mean(v, axis=axes, keepdims=True) for v in (x.exact, x.error, np.abs(x.exact) + x.error))
        terms = int(np.prod(x.shape[2:])) + 2
        return self.node("GlobalAveragePool", [x], y, error + terms * self.unit * size)


def residual(dtype):
    """A stem, a bottleneck with a shortcut, and a classifier."""
    g = Images(dtype)
    x = g.uniform("image", (1, 3, 11, 9))
    y = g.relu(g.normalize(g.conv(x, "stem", 8, (3, 3), bias=False, strides=[2, 2], pads=[1, 1, 1, 1]), "stem"))
    y = g.max_pool(y, [3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    inner = g.relu(g.conv(y, "reduce", 5, (1, 1)))
    inner = g.relu(g.conv(inner, "inner", 5, (3, 3), pads=[1, 1, 1, 1], strides=[2, 2]))
    inner = g.normalize(g.conv(inner, "expand", 18, (1, 1), bias=False), "expand")
    short = g.conv(y, "short", 18, (1, 1), strides=[2, 2])
    y = g.relu(g.add(inner, short))
    again = g.conv(y, "again", 18, (3, 3), pads=[1, 1, 1, 1])
    y = g.global_average(g.relu(g.add(again, y)))
    y = g.reshape(y, [1, 18])
    yield g.case("classifier", g.add(g.matmul(y, g.uniform_weight("classes", (18, 7))), g.uniform_weight("class bias", (7,))))


def separable(dtype):
    """Depthwise convolutions between pointwise ones, each limited to [0, 6]."""
    g = Images(dtype)
    x = g.uniform("image", (2, 4, 6, 7))
    low, high = g.input(np.array(0, dtype)), g.input(np.array(6, dtype))
    y = g.clip(g.conv(x, "expand", 17, (1, 1)), low, high)
    y = g.clip(g.conv(y, "deep", 17, (3, 3), group=17, pads=[1, 1, 1, 1]), low, high)
    y = g.add(g.conv(y, "project", 4, (1, 1)), x)
    # The image in the order of the graph is wanted, too.
    yield g.case("inverted", y, g.average_pool(g.sigmoid(y), [2, 2], strides=[2, 2], pads=[0, 0, 1, 1]), g.transpose(y, [0, 2, 3, 1]))


def mixed(dtype):
    """Operators that know images and others that do not, filters and parameters that come as inputs."""
    g = Images(dtype)
    x = g.uniform("image", (1, 2, 9))
    y = g.conv(x, "row", 6, (3,), pads=[1, 1], constant=False)
    y = g.normalize(y, "row", constant=False)
    z = g.add(y, g.uniform("other", (6, 9)))
    z = g.mul(z, g.uniform_weight("each", (6, 1)))
    z = g.identity(g.transpose(z, [0, 2, 1]))
    yield g.case("row", g.tanh(g.add(g.transpose(z, [0, 2, 1]), g.relu(y))))
    g = Images(dtype)
    x = g.uniform("groups", (1, 6, 5, 5))
    y = g.relu(g.conv(x, "groups", 9, (3, 3), group=3, pads=[2, 2, 2, 2], dilations=[2, 2]))
    y = g.average_pool(y, [3, 3], strides=[2, 2])
    yield g.case("groups", g.relu(g.add(y, g.uniform_weight("channel", (9, 1, 1)))))


def normalized(dtype):
    """Normalizations after all that has weights, which take them, and where they cannot: results that others read, and weights
    that are not there."""
    g = Images(dtype)
    x = g.uniform("image", (2, 6, 5, 7))
    y = g.relu(g.normalize(g.conv(x, "groups", 9, (3, 3), group=3, pads=[1, 1, 1, 1]), "groups", zero=4))
    y = g.relu(g.normalize(g.conv(y, "deep", 9, (3, 3), group=9, pads=[1, 1, 1, 1], bias=False), "deep"))
    shared = g.conv(y, "shared", 5, (1, 1))
    yield g.case("convolutions", g.add(g.normalize(shared, "shared"), shared))
    g = Images(dtype)
    y = g.normalize(g.conv(g.uniform("other", (1, 3, 4, 6)), "given", 4, (1, 3), constant=False), "given")
    yield g.case("twice", g.normalize(g.normalize(g.conv(y, "twice", 4, (1, 1)), "first"), "second"))
    g = Images(dtype)
    x = g.uniform("rows", (3, 10))
    y = g.relu(g.normalize(g.matmul(x, g.uniform_weight("first", (10, 18))), "first", zero=0))
    yield g.case("product", g.normalize(g.matmul(y, g.uniform_weight("second", (18, 5))), "second"))


def whole(seed, shape, low, high, unit=1):
    """Multiples of `unit`."""
    return np.rint(uniform(seed, F32, shape, low - 0.5, high + 0.5)).clip(low, high) * F32(unit) + F32(0)


class Tiles(Images):
    """Convolutions of 3 x 3 windows that may be computed in Winograd's tiles of up to `side` results a side."""

    sharpness = 25  # the contract is about the worst case; exact cases show that nothing is missing

    def __init__(self, side):
        super().__init__(F32)
        self.side = side

    def tiled(self, x, w, bias=None, **window):
        """Of a tile, S is at most the sum over channels of the largest magnitudes in all of the image. Whole numbers stay whole
        where the transformed filters are: multiples of 4, or of 24 * 24."""
        self.arithmetic = True
        y, _, _ = convolution(x.exact, w.exact, None if bias is None else bias.exact, **window)
        factor, unit = {2: (64, 4), 4: (2304, 576)}[self.side]
        channels = x.shape[1]
        image = np.max(np.abs(x.exact) + x.error, axis=(0, 2, 3))
        size = np.einsum("c,oc->o", image, np.max(np.abs(w.exact), axis=(2, 3))).reshape(1, -1, 1, 1)
        magnitude = 0 if bias is None else np.abs(bias.exact).reshape(1, -1, 1, 1)
        is_whole = x.is_integer() and w.is_integer() and (bias is None or bias.is_integer())
        if is_whole and np.all(w.exact % unit == 0) and np.max(factor * size + magnitude) < LONG(2) ** 24:
            error = np.zeros(y.shape, LONG)
        else:
            error, _, _ = convolution(x.error, np.abs(w.exact), None, **window)
            error = error + (channels + 13) * self.unit * factor * size + 2 * self.unit * (np.abs(y) + magnitude)
        return self.node("Conv", [x, w] + ([] if bias is None else [bias]), y, error, **window)

    def case(self, name, *outputs, large=False):
        case = super().case(f"tiles-of-{self.side}-{name}", *outputs, large=large)
        case.winograd = self.side
        return case


def tiles():
    """Images that tiles do and do not fill, with and without padding, several of them, and all kinds of channels; exact ones
    first."""
    around = {"pads": [1, 1, 1, 1]}
    for side, unit in ((2, 4), (4, 576)):
        for x_shape, out, window in (((1, 2, 8, 8), 3, around), ((2, 3, 7, 9), 5, around), ((1, 1, 3, 3), 1, {}),
                                     ((1, 2, 5, 4), 18, {"pads": [2, 0, 0, 1]}), ((1, 5, 6, 13), 2, {"auto_pad": "SAME_UPPER"})):
            g = Tiles(side)
            x = g.input(whole(f"tiles {x_shape}", x_shape, -1, 1))
            w = g.weight(whole(f"filters {out}", (out, x_shape[1], 3, 3), -1, 1, unit))
            y = g.tiled(x, w, **window)
            yield g.case(f"exact-{'x'.join(map(str, x_shape))}-by-{out}", y)
        g = Tiles(side)
        x, r = g.uniform("image", (1, 17, 6, 5)), g.uniform("residual", (1, 19, 6, 5))
        y = g.tiled(x, g.uniform_weight("filters", (19, 17, 3, 3), -0.5, 0.5), g.uniform_weight("bias", (19,)), **around)
        yield g.case("residual", g.relu(g.add(y, r)))
        g = Tiles(side)
        x = g.uniform("image", (2, 4, 9, 6))
        y = g.sigmoid(g.tiled(x, g.uniform_weight("first", (16, 4, 3, 3), -0.1, 0.1), **around))
        yield g.case("two-layers", g.tiled(y, g.uniform_weight("second", (3, 16, 3, 3), -0.5, 0.5)), g.average_pool(y, [2, 2]))


def networks():
    for dtype in (F32, F64):
        for function in (residual, separable, mixed, normalized):
            yield from function(dtype)


GRAPHS = {"images": networks, "winograd": tiles}
