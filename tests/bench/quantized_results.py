"""What models of quantized_models.py compute, by numpy in double precision: bounds of each element.

Sums of integers are exact in doubles. Where a number is rounded to an integer, at QuantizeLinear and in QLinearConv and MatMulNBits, it may be
rounded to either side if it is within TIE of the middle of both: code with floats has another rounding error there. The bounds go on through
the operators that follow, so that an element with no such number before it has one value.
"""
import numpy as np
from onnx import helper, numpy_helper

from quantized_models import TYPES

TIE = 2e-4  # 255 steps have errors of a few 1e-5 in floats
OF_LARGEST = 1e-4  # what floats may differ by


def bilinear(function, x, weights):
    """The bounds of a function that is linear in both, of bounds of x."""
    low, high = x
    if low is high:
        y = function(low, weights)
        return y, y
    positive, negative = np.maximum(weights, 0), np.minimum(weights, 0)
    return function(low, positive) + function(high, negative), function(high, positive) + function(low, negative)


def shared(low, high):
    """The bounds as one array, if they are the same."""
    return (low, low) if np.array_equal(low, high) else (low, high)


def rounded(x, least, greatest, zero=0.0):
    low, high = (np.clip(np.rint(bound + by) + zero, least, greatest) for bound, by in zip(x, (-TIE, TIE)))
    return shared(low, high)


def each(function, x):
    """The bounds of a function that does not decrease."""
    low = function(x[0])
    return (low, low) if x[0] is x[1] else (low, function(x[1]))


def convolved(x, weights, group, strides, pads):
    """NCHW, a product for each element of the kernel."""
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    count, inner, kernel_height, kernel_width = weights.shape
    height, width = ((size - kernel) // stride + 1 for size, kernel, stride in zip(x.shape[2:], (kernel_height, kernel_width), strides))
    total = np.zeros((group, count // group, height * width))
    for i in range(kernel_height):
        for j in range(kernel_width):
            part = x[0, :, i:i + strides[0] * height:strides[0], j:j + strides[1] * width:strides[1]][:, :height, :width]
            total += weights[:, :, i, j].reshape(group, -1, inner) @ part.reshape(group, inner, -1)
    return total.reshape(1, count, height, width)


def convolution(x, weights, bias, attributes):
    strides, pads, group = attributes.get("strides", [1, 1]), attributes.get("pads", [0] * 4), attributes.get("group", 1)
    y = bilinear(lambda image, kernel: convolved(image, kernel, group, strides, pads), x, weights)
    return each(lambda bound: bound + bias.reshape(1, -1, 1, 1), y)


def dequantized(attributes, x, scale, zero):
    shape = [-1 if i == attributes.get("axis", 1) else 1 for i in range(x[0].ndim)] if scale[0].ndim else []
    return each(lambda bound: (bound - zero[0].reshape(shape)) * scale[0].reshape(shape), x)


def qlinear_convolution(attributes, x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias):
    """Products of integers; what is around the image is the zero point."""
    weights = w[0] - w_zero[0].reshape(-1, 1, 1, 1)
    sums = convolution(each(lambda bound: bound - x_zero[0], x), weights, bias[0], attributes)
    scale = (x_scale[0] * w_scale[0] / y_scale[0]).reshape(1, -1, 1, 1)
    return rounded(each(lambda bound: bound * scale, sums), 0, 255, y_zero[0])


def product_of_blocks(attributes, x, w, scale):
    """Each block of a row becomes integers up to 127 with a scale, those of weights are less 8."""
    columns, depth, block = attributes["N"], attributes["K"], attributes["block_size"]
    numbers = w[0].astype(np.uint8)
    weights = np.stack([numbers & 15, numbers >> 4], -1).reshape(columns, depth // block, block) - 8.0
    weights = (weights * scale[0].reshape(columns, -1, 1)).reshape(columns, depth)
    rows = x[0].reshape(-1, depth // block, block)
    steps = abs(rows).max(axis=-1, keepdims=True) / 127
    steps[steps == 0] = 1
    bounds = each(lambda bound: (bound * steps).reshape(-1, depth), rounded((rows / steps,) * 2, -127, 127))
    return bilinear(lambda bound, matrix: bound @ matrix.T, bounds, weights)


OPERATORS = {
    "Conv": lambda attributes, x, w, bias: convolution(x, w[0], bias[0], attributes),
    "DequantizeLinear": dequantized,
    "MatMul": lambda attributes, x, w: bilinear(np.matmul, x, w[0]),
    "MatMulNBits": product_of_blocks,
    "QLinearConv": qlinear_convolution,
    "QuantizeLinear": lambda attributes, x, scale, zero: rounded(each(lambda bound: bound / scale[0], x), 0, 255, zero[0]),
    "Relu": lambda attributes, x: each(lambda bound: np.maximum(bound, 0), x),
    "Transpose": lambda attributes, x: each(lambda bound: bound.transpose(attributes["perm"]), x),
}


def bounds(layer):
    """The least and the greatest value of each element of the result."""
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in layer.model.graph.initializer} | {"x": layer.x}
    values = {name: (array.astype(np.float64),) * 2 for name, array in arrays.items()}
    for node in layer.model.graph.node:
        attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        values[node.output[0]] = OPERATORS[node.op_type](attributes, *(values[name] for name in node.input))
    return values["y"]


def result(layer, content):
    """The array of an output's bytes."""
    tensor = layer.model.graph.output[0].type.tensor_type
    kinds = {number: kind for kind, number in TYPES.items()}
    return np.frombuffer(content, kinds[tensor.elem_type]).reshape([size.dim_value for size in tensor.shape.dim])


def first_wrong(y, low, high):
    """Where and what the first wrong element is, or None."""
    allowed = OF_LARGEST * max(abs(low).max(), abs(high).max()) if y.dtype == np.float32 else 0.0
    wrong = ~((y >= low - allowed) & (y <= high + allowed))
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    wanted = f"{low[at]:g}" if low[at] == high[at] else f"{low[at]:g} to {high[at]:g}"
    return f"{int(wrong.sum())} of {y.size} elements are wrong, first y{list(at)}: {y[at]:g}, expected {wanted}"


def spoiled(y):
    """The result with another last element: of bytes by 2, of floats by a hundredth of the largest."""
    other = y.copy()
    last = other[(-1,) * y.ndim]
    other[(-1,) * y.ndim] = (int(last) + 2) % 256 if y.dtype == np.uint8 else last + abs(y).max() / 100
    return other
