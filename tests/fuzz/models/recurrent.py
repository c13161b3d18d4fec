"""LSTM, GRU and RNN, with all that they may have."""
import numpy as np

import elements  # noqa: F401
import recurrent_cases
import reference
from draw import generator
from elements import FORMATS, LONG
from model import Array, Expected, Refused

PLAIN = {"f32": np.float32, "f64": np.float64}


def attributes_of(draw, name, opset):
    directions, given = 1, {}
    if draw.chance(0.5):
        given["direction"] = draw.choose(["forward", "reverse", "bidirectional"])
        directions = 2 if given["direction"] == "bidirectional" else 1
    if draw.chance(0.2) and opset >= 14:
        given["layout"] = 1
    if draw.chance(0.15):
        given["clip"] = draw.real(0.5, 2)
    if name == "LSTM" and draw.chance(0.15):
        given["input_forget"] = 1
    if name == "GRU" and draw.chance(0.5):
        given["linear_before_reset"] = draw.integer(0, 1)
    if draw.chance(0.25):
        count = len(recurrent_cases.Layer.DEFAULTS[name])
        given["activations"] = [draw.choose(list(recurrent_cases.FUNCTIONS)) for _ in range(count * directions)]
        takes = [recurrent_cases.FUNCTIONS[a][2] for a in given["activations"]]
        for key, least in (("activation_alpha", 1), ("activation_beta", 2)):
            number = sum(len(t) >= least for t in takes)
            if number:
                given[key] = [draw.real(0.25, 1) for _ in range(number)]
    return given, directions


@generator("LSTM", "GRU", "RNN")
def recurrent(draw, name):
    element, opset = draw.choose(["f32", "f32", "f64", "bf16", "f16"]), draw.opset()
    opset = max(opset, 22) if element == "bf16" else opset
    given, directions = attributes_of(draw, name, opset)
    steps, batch, inputs, hidden = draw.choose([1, 2, 3, 4]), draw.choose([1, 1, 2, 3, 5]), draw.choose([1, 2, 3, 5, 8]), draw.choose([1, 2, 3, 4, 7, 8, 17])
    narrow = element in FORMATS
    if narrow and (steps > 2 or "activations" in given):
        raise Refused
    parts = "".join(letter for letter in ("bhc" + ("p" if name == "LSTM" else "")) if (letter != "c" or name == "LSTM") and draw.chance(0.5)) + ("l" if draw.chance(0.3) else "")
    first = lambda *shape: (shape[1], shape[0], *shape[2:]) if given.get("layout") else shape
    rows = recurrent_cases.Layer.GATES[name] * hidden
    scale = min(1.0, 1.5 / hidden ** 0.5)
    lens = Array(draw.rng.integers(1, steps + 1, batch), "i32")
    state = first(directions, batch, hidden)
    arrays = [draw.array(element, first(steps, batch, inputs), -1, 1), draw.array(element, (directions, rows, inputs), -scale, scale),
              draw.array(element, (directions, rows, hidden), -scale, scale), draw.array(element, (directions, 2 * rows), -0.5, 0.5) if "b" in parts else None,
              lens if "l" in parts else None, draw.array(element, state, -1, 1) if "h" in parts else None]
    if name == "LSTM":
        arrays += [draw.array(element, state, -1, 1) if "c" in parts else None, draw.array(element, (directions, 3 * hidden), -0.5, 0.5) if "p" in parts else None]
    if narrow:
        layer = recurrent_cases.Layer(name, LONG(2) ** -24, FORMATS[element].half_ulp, FORMATS[element].few_digits, **given)
    else:
        layer = recurrent_cases.Layer(name, reference.unit(PLAIN[element]), lambda size: LONG(0), **given)
    results = [Expected(y[0], element, 2 * y[1]) for y in layer.run(*(None if a is None else a.values for a in arrays))]
    asked = [draw.chance(0.7) for _ in results]
    asked[draw.integer(0, len(results) - 1)] = True
    if draw.chance(0.5) or "hidden_size" in given:
        given["hidden_size"] = hidden
    return draw.model(name, arrays, given, [r if a else None for r, a in zip(results, asked)], opset, fixed=(1, 2, 3, 7) if draw.chance(0.7) else ())
