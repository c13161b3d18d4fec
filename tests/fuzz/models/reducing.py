"""Reductions, sums along an axis, places of extremes, softmax and normalizations."""
import numpy as np

from draw import function_error, generator, ints, single, working_unit
from elements import FLOATS, INTEGERS, LONG, NUMERIC, is_float, normal, wrapped
from model import Array, Expected


def log_sum_exp(x, axes):
    most = np.max(x, axis=axes, keepdims=True, initial=-np.inf)
    safe = np.where(np.isfinite(most), most, 0)
    return np.log(np.sum(np.exp(x - safe), axis=axes, keepdims=True)) + safe


REDUCTIONS = {
    "ReduceSum": lambda x, a: np.sum(x, axis=a, keepdims=True), "ReduceMean": lambda x, a: np.mean(x, axis=a, keepdims=True),
    "ReduceMax": lambda x, a: np.max(x, axis=a, keepdims=True), "ReduceMin": lambda x, a: np.min(x, axis=a, keepdims=True),
    "ReduceProd": lambda x, a: np.prod(x, axis=a, keepdims=True), "ReduceL1": lambda x, a: np.sum(np.abs(x), axis=a, keepdims=True),
    "ReduceL2": lambda x, a: np.sqrt(np.sum(x * x, axis=a, keepdims=True)), "ReduceSumSquare": lambda x, a: np.sum(x * x, axis=a, keepdims=True),
    "ReduceLogSum": lambda x, a: np.log(np.sum(x, axis=a, keepdims=True)), "ReduceLogSumExp": log_sum_exp,
}
OF_INTEGERS = ("ReduceSum", "ReduceProd", "ReduceL1", "ReduceSumSquare")


def reduction_error(name, x, y, axes, element):
    u, count = working_unit(element), int(np.prod([x.shape[a] for a in axes])) if axes else 1
    if name in ("ReduceMax", "ReduceMin") or count == 0:
        return None
    magnitude = lambda v: np.sum(np.abs(v), axis=axes, keepdims=True)
    if name == "ReduceProd":
        return 2 * (count + 2) * u * np.abs(y)
    if name == "ReduceLogSum":
        total = np.sum(x, axis=axes, keepdims=True)
        return function_error(y, element) + (count + 4) * u * magnitude(x) / total
    if name == "ReduceLogSumExp":
        return function_error(y, element) + (count + 40) * u * (1 + np.max(np.abs(np.where(np.isfinite(x), x, 0)), axis=axes, keepdims=True, initial=0)) + 200 * (element in ("bf16", "f16")) * LONG(2) ** -16
    size = magnitude(x * x) if name in ("ReduceSumSquare", "ReduceL2") else magnitude(x)
    error = (count + 4) * u * (size / max(count, 1) if name == "ReduceMean" else size)
    return error / np.maximum(np.abs(y), LONG(1e-30)) + 4 * u * np.abs(y) if name == "ReduceL2" else error


@generator(*REDUCTIONS)
def reduction(draw, name):
    extreme = name in ("ReduceMax", "ReduceMin")
    element = draw.choose(FLOATS if draw.chance(0.7) else INTEGERS if extreme else ["i32", "i64", "u32", "u64"] if name in OF_INTEGERS else FLOATS)
    low = 0.1 if name == "ReduceLogSum" else -2
    x = draw.array(element, draw.shape(0, 4, empty=0.02 if name in OF_INTEGERS else 0), low, 2, special=0.3 if extreme else 0)
    opset = draw.opset(20 if element == "bool" else 13 if element in ("bf16", "i8", "u8") or not is_float(element) else 7)
    rank = len(x.shape)
    axes = draw.some_axes(rank, 1) if rank and draw.chance(0.8) else None
    if axes and opset < 11:
        axes = [a % rank for a in axes]
    as_input = opset >= (13 if name == "ReduceSum" else 18)
    given, inputs = {"keepdims": draw.integer(0, 1)} if draw.chance(0.7) else {}, [x]
    noop = as_input and axes is None and draw.chance(0.3)
    if noop:
        given["noop_with_empty_axes"] = 1
        if draw.chance(0.5):
            inputs.append(ints(np.zeros(0, np.int64)))
    if axes is not None:
        if as_input:
            inputs.append(ints(axes))
        else:
            given["axes"] = axes
    over = () if noop else tuple(range(rank)) if axes is None else tuple(sorted(a % rank for a in axes))
    with np.errstate(all="ignore"):
        v = x.values.astype(LONG) if is_float(element) else x.values
        if noop:
            y = v if name not in ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp") else REDUCTIONS[name](v, ())
            if name in ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"):
                return reduction(draw, name)  # the standard does not say whether the function is left out, too
            error = None
        else:
            y = REDUCTIONS[name](v, over)
            error = reduction_error(name, v, y, over, element) if is_float(element) else None
    y = y if is_float(element) else wrapped(y, element)
    if not given.get("keepdims", 1) and not noop:
        y, error = y.reshape([n for d, n in enumerate(y.shape) if d not in over]), None if error is None else np.reshape(error, [n for d, n in enumerate(y.shape) if d not in over])
    return draw.model(name, inputs, given, [Expected(y, element, error)], opset, fixed=(1,))


@generator("ArgMax", "ArgMin")
def arg(draw, name):
    element = draw.choose(NUMERIC)
    x = draw.array(element, draw.shape(1, 4, empty=0))
    if draw.chance(0.5) and is_float(element):
        x.values = np.round(x.values)
    axis = draw.axis(len(x.shape))
    given = {**({"axis": axis} if axis else {}), **({"keepdims": draw.integer(0, 1)} if draw.chance(0.6) else {})}
    opset = draw.opset(13 if element == "bf16" else 12)
    v = x.values
    if draw.chance(0.4):
        given["select_last_index"] = draw.integer(0, 1)
    function = np.argmax if name == "ArgMax" else np.argmin
    y = v.shape[axis] - 1 - function(np.flip(v, axis), axis) if given.get("select_last_index") else function(v, axis)
    y = np.expand_dims(y, axis) if given.get("keepdims", 1) else np.asarray(y)
    return draw.model(name, [x], given, [Expected(y.astype(np.int64), "i64")], opset)


@generator("TopK")
def top_k(draw, name):
    element = draw.choose(NUMERIC)
    x = draw.array(element, draw.shape(1, 3, empty=0))
    if draw.chance(0.5) and is_float(element):
        x.values = np.round(x.values)
    axis, largest = draw.axis(len(x.shape)), draw.integer(0, 1)
    n = x.shape[axis]
    k = draw.integer(0 if draw.chance(0.1) else 1, n)
    moved = np.moveaxis(x.values, axis, -1).astype(object)
    order = np.array([sorted(range(n), key=lambda i: (-row[i] if largest else row[i], i)) for row in moved.reshape(-1, n)], np.int64).reshape(moved.shape)[..., :k]
    order = np.moveaxis(order, -1, axis)
    y = np.take_along_axis(x.values, order, axis)
    given = {**({"axis": axis} if axis != -1 else {}), **({"largest": largest} if not largest else {}), **({"sorted": 1} if draw.chance(0.3) else {})}
    opset = draw.opset(24 if element == "bf16" else 11, 24)
    if element in ("f32", "f64") and largest and not given.get("sorted") and draw.chance(0.3):
        return draw.model(name, [x], {**given, "k": max(k, 1)} if k else {**given, "k": 0}, [Expected(y, element), Expected(order, "i64")], draw.opset(7, 9))
    results = [Expected(y, element), Expected(order, "i64")]
    if draw.chance(0.3):
        results[1] = None
    return draw.model(name, [x, ints([k])], given, results, opset, fixed=(1,))


@generator("CumSum")
def cum_sum(draw, name):
    element = draw.choose(FLOATS + ["i32", "u32", "i64", "u64"])
    x = draw.array(element, draw.shape(1, 3))
    axis = draw.axis(len(x.shape))
    given = {key: draw.integer(0, 1) for key in ("exclusive", "reverse") if draw.chance(0.5)}
    v = x.values.astype(LONG) if is_float(element) else x.values
    v = np.flip(v, axis) if given.get("reverse") else v
    sums, size = np.cumsum(v, axis), np.cumsum(np.abs(v), axis) if is_float(element) else None
    if given.get("exclusive"):
        sums = np.concatenate([np.zeros_like(np.take(v, [0], axis)), np.take(sums, range(v.shape[axis] - 1), axis)], axis) if v.shape[axis] else sums
    y = np.flip(sums, axis) if given.get("reverse") else sums
    if not is_float(element):
        return draw.model(name, [x, Array(np.array(axis), draw.choose(["i32", "i64"]))], given, [Expected(wrapped(y, element), element)], draw.opset(11), fixed=(1,))
    size = np.flip(size, axis) if given.get("reverse") else size
    error = (v.shape[axis] + 2) * working_unit(element) * size
    return draw.model(name, [x, Array(np.array(axis), draw.choose(["i32", "i64"]))], given, [Expected(y, element, error)], draw.opset(14 if element in ("bf16", "f16") else 11), fixed=(1,))


def softmax(v, axis, element):
    """(the result, its error)"""
    u, rough = working_unit(element), LONG(2) ** -12 if element in ("bf16", "f16") else 0
    apart = v - np.max(v, axis=axis, keepdims=True, initial=-np.inf)
    powers = np.exp(apart)
    y = powers / np.sum(powers, axis=axis, keepdims=True)
    far = np.where(np.isfinite(apart), np.abs(apart), 0)
    relative = (far + 30 + v.shape[axis]) * u + rough
    return y, y * (relative + np.max(relative, axis=axis, keepdims=True, initial=0)) + v.shape[axis] * 2 * normal("f64" if element == "f64" else "f32")


@generator("Softmax", "LogSoftmax", "Hardmax")
def softmaxes(draw, name):
    element, opset = draw.choose(FLOATS), draw.opset(7)
    opset = max(opset, 13) if element == "bf16" else opset
    x = draw.array(element, draw.shape(1, 4), -4, 4)
    rank = len(x.shape)
    axis = draw.axis(rank) if opset >= 11 else draw.integer(0, rank - 1)
    given = {"axis": axis} if draw.chance(0.8) else {}
    if not given and rank == 1 and opset < 13:
        given = {"axis": 0}
    axis = given.get("axis", -1 if opset >= 13 else 1)
    v = x.values.astype(LONG)
    if opset < 13:
        v = v.reshape(int(np.prod(x.shape[:axis % rank], dtype=np.int64)), int(np.prod(x.shape[axis % rank:], dtype=np.int64)))
        axis = 1
    with np.errstate(all="ignore"):
        if name == "Hardmax":
            y, error = np.zeros_like(v), None
            if v.size:
                np.put_along_axis(y, np.expand_dims(np.argmax(v, axis), axis), 1, axis)
        else:
            y, error = softmax(v, axis, element)
            if name == "LogSoftmax":
                total = np.max(v, axis=axis, keepdims=True, initial=-np.inf)
                y = v - total - np.log(np.sum(np.exp(v - total), axis=axis, keepdims=True))
                error = (np.abs(v) + np.abs(total) + v.shape[axis] + 40) * working_unit(element) + (LONG(2) ** -12 if element in ("bf16", "f16") else 0)
    error = None if error is None else error.reshape(x.shape)
    return draw.model(name, [x], given, [Expected(y.reshape(x.shape), element, error)], opset)


def normalized(v, axes, epsilon, u, centered=True):
    """(the result, its error, the mean, 1 / the deviation)"""
    count = int(np.prod([v.shape[a] for a in axes]))
    mean = np.mean(v, axis=axes, keepdims=True) if centered else np.zeros_like(np.sum(v, axis=axes, keepdims=True))
    variance = np.mean((v - mean) ** 2, axis=axes, keepdims=True)
    inverse = 1 / np.sqrt(variance + epsilon)
    y = (v - mean) * inverse
    size = np.max(np.abs(v), axis=axes, keepdims=True, initial=0)
    off = (count + 8) * u * size
    error = off * inverse * 2 + np.abs(y) * ((count + 16) * u + 2 * off * inverse * (inverse * np.sqrt(variance + off * off)) + off * off * inverse * inverse)
    return y, error, mean, inverse


@generator("LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
def layer_normalization(draw, name):
    element = draw.choose(FLOATS)
    skips, simple = name.startswith("Skip"), "Simplified" in name or "RMS" in name
    x = draw.array(element, draw.shape(3, 3, empty=0) if skips else draw.shape(1, 4, empty=0))
    rank, u = len(x.shape), working_unit(element)
    axis = -1 if skips else draw.axis(rank)
    epsilon = draw.choose([1e-5, 0.125, 1e-3])
    given = {"epsilon": epsilon} if skips or draw.chance(0.8) else {}
    number = single(given.get("epsilon", 1e-5))
    given.update({} if axis == -1 and draw.chance(0.5) or skips else {"axis": axis})
    shape = x.shape[axis % rank:]
    if not skips and draw.chance(0.2):
        shape = tuple(1 if draw.chance(0.4) else n for n in shape)
    scale = draw.array(element, shape)
    v, extra, rough = x.values.astype(LONG), [], LONG(0)
    if skips:
        extra = [draw.array(element, x.shape)]
        v = v + extra[0].values
        rough = u * np.abs(v)
    bias = draw.array(element, shape) if not simple and draw.chance(0.6) else None
    late = draw.array(element, shape) if skips and draw.chance(0.4) else None
    if late is not None:
        v = v + late.values
        rough = rough + u * np.abs(v)
    axes = tuple(range(axis % rank, rank))
    y, error, mean, inverse = normalized(v, axes, number, u * (8 if skips and element in ("bf16", "f16") else 1), not simple)
    if skips and element in ("bf16", "f16"):
        return layer_normalization(draw, name)  # sums may be rounded on their way
    y, error = y * scale.values, (error + rough * inverse * 3) * np.abs(scale.values) + np.abs(y * scale.values) * 2 * u
    if bias is not None:
        y = y + bias.values
        error = error + 2 * u * np.abs(y) + u * np.abs(bias.values)
    results = [Expected(y, element, error)]
    if name == "LayerNormalization":
        inputs = [x, scale, bias]
        if draw.chance(0.3):
            kind = "f64" if element == "f64" else "f32"
            if element == "f64":
                given["stash_type"] = 1
                return layer_normalization(draw, name) if draw.chance(0.9) else draw.model(name, inputs, {k: w for k, w in given.items() if k != "stash_type"}, results, draw.opset(17))
            size = np.max(np.abs(v), axis=axes, keepdims=True)
            off = (int(np.prod(shape)) + 40) * u * size + u
            wanted = draw.choose([(1, 1), (1, 0), (0, 1)])
            results.append(Expected(mean, kind, off) if wanted[0] else None)
            results.append(Expected(inverse, kind, inverse * 8 * u + inverse ** 3 * off * (size + 1) * 4) if wanted[1] else None)
        return draw.model(name, inputs, given, results, draw.opset(17))
    if skips:
        inputs = [x, extra[0], scale, *([] if simple else [bias]), late]
        if draw.chance(0.3):
            results += [None, None, Expected(v, element, rough)]
        return draw.model(name, inputs, given, results, draw.opset(), domain="com.microsoft")
    return draw.model(name, [x, scale], given, results, draw.opset(23) if name == "RMSNormalization" else draw.opset())


@generator("InstanceNormalization", "GroupNormalization", "MeanVarianceNormalization", "LpNormalization")
def channel_normalization(draw, name):
    element = draw.choose(FLOATS)
    x = draw.array(element, draw.shape(4, 4, empty=0) if name == "MeanVarianceNormalization" else draw.shape(3, 4, empty=0))
    v, u, rank = x.values.astype(LONG), working_unit(element), len(x.shape)
    if name == "LpNormalization":
        given = {key: value for key, value in (("axis", draw.axis(rank)), ("p", draw.integer(1, 2))) if draw.chance(0.7)}
        axis = given.get("axis", -1)
        norm = np.sum(np.abs(v), axis=axis, keepdims=True) if given.get("p", 2) == 1 else np.sqrt(np.sum(v * v, axis=axis, keepdims=True))
        y = np.where(norm == 0, v, v / np.where(norm == 0, 1, norm))
        return draw.model(name, [x], given, [Expected(y, element, (x.shape[axis] + 8) * u * np.abs(y))], draw.opset(7))
    if name == "MeanVarianceNormalization":
        axes = draw.some_axes(rank, 1) if draw.chance(0.7) else None
        over = (0, 2, 3) if axes is None else tuple(sorted(a % rank for a in axes))
        apart = v - np.mean(v, axis=over, keepdims=True)
        variance = np.mean(apart * apart, axis=over, keepdims=True)
        if (variance < 0.01).any():
            return channel_normalization(draw, name) if draw.chance(0.99) else softmaxes(draw, "Softmax")
        _, error, _, _ = normalized(v, over, LONG(0), u)
        y = apart / (np.sqrt(variance) + LONG(1e-9))
        return draw.model(name, [x], {} if axes is None else {"axes": axes}, [Expected(y, element, 4 * error)], draw.opset(9))
    epsilon = draw.choose([1e-5, 0.125, 1e-3])
    given = {"epsilon": epsilon} if draw.chance(0.8) else {}
    number, channels = single(given.get("epsilon", 1e-5)), x.shape[1]
    groups = channels if name == "InstanceNormalization" else draw.choose([g for g in range(1, channels + 1) if channels % g == 0])
    opset = draw.opset(7) if name == "InstanceNormalization" else draw.opset(18)
    each = groups if name == "GroupNormalization" and opset < 21 else channels
    scale, bias = draw.array(element, (each,)), draw.array(element, (each,))
    y, error, _, _ = normalized(v.reshape(x.shape[0], groups, -1), (2,), number, u)
    wide = lambda p: np.repeat(p.values, channels // each).reshape((1, channels) + (1,) * (rank - 2))
    y, error = y.reshape(x.shape) * wide(scale), error.reshape(x.shape) * np.abs(wide(scale))
    error = error + 3 * u * (np.abs(y) + np.abs(wide(bias)))
    if name == "GroupNormalization":
        given["num_groups"] = groups
    return draw.model(name, [x, scale, bias], given, [Expected(y + wide(bias), element, error)], opset)


@generator("BatchNormalization", "LRN")
def batch_normalization(draw, name):
    element = draw.choose(FLOATS)
    x = draw.array(element, draw.shape(2 if name[0] == "B" else 3, 4, empty=0))
    v, u, rank, channels = x.values.astype(LONG), working_unit(element), len(x.shape), x.shape[1]
    if name == "LRN":
        size = draw.choose([1, 2, 3, 5])
        given = {"size": size, **{k: f for k, f in (("alpha", draw.real(0, 1)), ("beta", draw.real(0.25, 1)), ("bias", draw.real(0.5, 2))) if draw.chance(0.6)}}
        alpha, beta, bias = (single(given.get(k, d)) for k, d in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0)))
        squares = np.zeros_like(v)
        for c in range(channels):
            squares[:, c] = np.sum(v[:, max(0, c - (size - 1) // 2):c + size // 2 + 1] ** 2, axis=1)
        base = bias + alpha / size * squares
        y = v / base ** beta
        return draw.model(name, [x], given, [Expected(y, element, function_error(y, element, 6) + 60 * u * np.abs(y))], draw.opset(13 if element == "bf16" else 7))
    scale, bias, mean = (draw.array(element, (channels,)) for _ in range(3))
    variance = draw.array(element, (channels,), 0.1, 2)
    given = {"epsilon": draw.choose([1e-5, 0.125])} if draw.chance(0.7) else {}
    wide = lambda p: p.values.astype(LONG).reshape((1, channels) + (1,) * (rank - 2))
    factor = wide(scale) / np.sqrt(wide(variance) + single(given.get("epsilon", 1e-5)))
    y = (v - wide(mean)) * factor + wide(bias)
    error = 12 * u * ((np.abs(v) + np.abs(wide(mean))) * np.abs(factor) + np.abs(wide(bias)))
    if element in ("bf16", "f16"):
        given.pop("momentum", None)
    fixed = (1, 2, 3, 4) if draw.chance(0.6) else ()
    return draw.model(name, [x, scale, bias, mean, variance], given, [Expected(y, element, error)], draw.opset(15 if element in ("bf16", "f16") else 7), fixed=fixed)


@generator("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def losses(draw, name):
    element = draw.choose(["f32", "f64"])
    n, c, rest = draw.integer(1, 5), draw.integer(1, 7), draw.shape(0, 2, most=30, empty=0)
    x = draw.array(element, (n, c, *rest))
    target = Array(draw.rng.integers(0, c, (n, *rest)), draw.choose(["i32", "i64"]))
    weight = draw.array(element, (c,), 0.1, 2) if draw.chance(0.5) else None
    given, u = {"reduction": draw.choose(["none", "sum", "mean"])} if draw.chance(0.8) else {}, working_unit(element)
    v = x.values.astype(LONG)
    if name[0] == "S":
        v = v - np.max(v, axis=1, keepdims=True)
        v = v - np.log(np.sum(np.exp(v), axis=1, keepdims=True))
    w = np.ones((c,), LONG) if weight is None else weight.values.astype(LONG)
    w = w[target.values]
    if draw.chance(0.4):
        given["ignore_index"] = draw.integer(-1, c - 1)
        if given["ignore_index"] < 0:
            target.values = np.where(draw.rng.random(target.shape) < 0.3, -1, target.values)
        w = np.where(target.values == given["ignore_index"], 0, w)
    if given.get("reduction", "mean") == "mean" and np.sum(w) < 0.1:
        return losses(draw, name)
    loss = -np.take_along_axis(v, np.expand_dims(np.maximum(target.values, 0), 1), 1)[:, 0] * w
    size, scores = np.abs(loss) + 4, v
    how = given.get("reduction", "mean")
    y = loss if how == "none" else np.sum(loss) if how == "sum" else np.sum(loss) / np.sum(w)
    error = (c + 60) * u * (size if how == "none" else np.sum(size) * 2 * (1 if how == "sum" else 1 / np.sum(w)) * (1 + loss.size / 30))
    results = [Expected(y, element, error)]
    if name[0] == "S" and draw.chance(0.4):
        results.append(Expected(scores, element, (c + 60) * u * (np.abs(scores) + 4)))
    return draw.model(name, [x, target, weight], given, results, draw.opset(13))
