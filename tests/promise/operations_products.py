"""Products and windows of linalg: whole numbers, so that results are exact in any order."""
import numpy as np

from operations_text import add
from operations_values import FLOATS, INTEGERS, is_float, rounded, small

# Operands as letters of an einsum: what is summed is in the first two only. Upper-case letters stand for numbers.
LETTERS = {"m": "m", "b": "b", "n": 6, "k": 5, "i": 3, "j": 2, "l": 4, "p": 2}
PRODUCTS = {
    "matmul": "mk,kn->mn", "batch_matmul": "bmk,bkn->bmn", "batch_reduce_matmul": "imk,ikn->mn", "matvec": "mk,k->m",
    "vecmat": "k,kn->n", "batch_matvec": "bmk,bk->bm", "batch_vecmat": "bk,bkn->bn", "dot": "k,k->",
    "mmt4d": "mkil,nkjl->mnij", "batch_mmt4d": "bmkil,bnkjl->bmnij",
}
MIXED = [("bf16", "f32"), ("f16", "f32"), ("i8", "i32"), ("i16", "i32"), ("f8E4M3FN", "f32"), ("f8E5M2", "f16"), ("f32", "f64")]


def product(equation, element):
    def of(a, b, c=None):
        if element == "i1":
            found = np.einsum(equation, a.astype(int), b.astype(int)) > 0
            return found if c is None else found | c
        found = np.einsum(equation, a, b)
        return rounded(found if c is None else found + c, element)
    return of


def shape_of(letters, given=LETTERS):
    return tuple(given[letter] for letter in letters)


def products():
    pairs = [(e, e) for e in FLOATS + ["i1"] + INTEGERS] + MIXED
    for name, equation in PRODUCTS.items():
        left, right, result = equation.replace("->", ",").split(",")
        for element, wide in pairs:
            for accumulates in (False, True):
                def write(f, accumulates=accumulates, element=element, wide=wide):
                    inputs = [f.argument(element, shape_of(left)), f.argument(element, shape_of(right))]
                    init = f.argument(wide, shape_of(result)) if accumulates else f.filled(0, wide, shape_of(result))
                    return f.named(name, inputs, init)
                add(f"linalg.{name}" + (" onto a tensor" if accumulates else ""), element if element == wide else f"{element}, {wide}",
                    write, product(equation, wide), small)
    spell = lambda letters: f"affine_map<(m, n, k) -> ({', '.join(letters)})>"
    for element, wide in pairs:
        def transposed(f, element=element, wide=wide):
            maps = ", ".join(map(spell, ("mk", "nk", "mn")))
            inputs = [f.argument(element, ("m", 5)), f.argument(element, (6, 5))]
            return f.named(f"matmul indexing_maps = [{maps}]", inputs, f.filled(0, wide, ("m", 6)))
        def contract(f, element=element, wide=wide):
            maps = ", ".join(map(spell, ("km", "nk", "mn")))
            inputs = [f.argument(element, (5, "m")), f.argument(element, (6, 5))]
            return f.named(f"contract indexing_maps = [{maps}]", inputs, f.filled(0, wide, ("m", 6)))
        kind = element if element == wide else f"{element}, {wide}"
        add("linalg.matmul, transposed", kind, transposed, product("mk,nk->mn", wide), small)
        add("linalg.contract", kind, contract, product("km,nk->mn", wide), small)
    for element in FLOATS + INTEGERS:
        def open_depth(f, element=element):
            inputs = [f.argument(element, ("m", "k")), f.argument(element, ("k", "n"))]
            return f.named("matmul", inputs, f.filled(0, element, ("m", "n")))
        add("linalg.matmul with open depth and columns", element, open_depth, product("mk,kn->mn", element), small, forms=("open",))
    for name, equation in (("quantized_matmul", "mk,kn->mn"), ("quantized_batch_matmul", "bmk,bkn->bmn")):
        left, right, result = equation.replace("->", ",").split(",")
        for element, wide in (("i8", "i32"), ("i16", "i32"), ("i32", "i32"), ("i8", "i64"), ("f32", "f32")):
            zero = "i32" if not is_float(element) else "f32"
            if zero != "i32":
                continue
            def quantized(f, element=element, wide=wide, name=name, left=left, right=right, result=result):
                inputs = [f.argument(element, shape_of(left)), f.argument(element, shape_of(right)), f.number(3, "i32"), f.number(-2, "i32")]
                return f.named(name, inputs, f.filled(0, wide, shape_of(result)))
            add(f"linalg.{name}", f"{element}, {wide}", quantized,
                lambda a, b, equation=equation: np.einsum(equation, a - 3, b + 2), small)


CONVOLUTIONS = {
    "conv_1d": "w,w->w", "conv_2d": "hw,hw->hw", "conv_3d": "dhw,dhw->dhw",
    "conv_1d_nwc_wcf": "nwc,wcf->nwf", "conv_1d_ncw_fcw": "ncw,fcw->nfw",
    "conv_2d_nhwc_hwcf": "nhwc,hwcf->nhwf", "conv_2d_nhwc_fhwc": "nhwc,fhwc->nhwf", "conv_2d_nchw_fchw": "nchw,fchw->nfhw",
    "conv_2d_ngchw_fgchw": "ngchw,fgchw->ngfhw", "conv_2d_ngchw_gfchw": "ngchw,gfchw->ngfhw", "conv_2d_nhwgc_gfhwc": "nhwgc,gfhwc->nhwgf",
    "conv_3d_ndhwc_dhwcf": "ndhwc,dhwcf->ndhwf", "conv_3d_ncdhw_fcdhw": "ncdhw,fcdhw->nfdhw",
    "depthwise_conv_1d_nwc_wc": "nwc,wc->nwc", "depthwise_conv_1d_ncw_cw": "ncw,cw->ncw", "depthwise_conv_1d_nwc_wcm": "nwc,wcm->nwcm",
    "depthwise_conv_2d_nhwc_hwc": "nhwc,hwc->nhwc", "depthwise_conv_2d_nchw_chw": "nchw,chw->nchw",
    "depthwise_conv_2d_nhwc_hwcm": "nhwc,hwcm->nhwcm", "depthwise_conv_3d_ndhwc_dhwc": "ndhwc,dhwc->ndhwc",
    "depthwise_conv_3d_ncdhw_cdhw": "ncdhw,cdhw->ncdhw", "depthwise_conv_3d_ndhwc_dhwcm": "ndhwc,dhwcm->ndhwcm",
}
QUANTIZED = ["conv_2d_nhwc_hwcf", "conv_2d_nhwc_fhwc", "conv_2d_nchw_fchw", "conv_2d_nhwgc_gfhwc", "conv_2d_ngchw_gfchw",
             "conv_3d_ndhwc_dhwcf", "depthwise_conv_2d_nhwc_hwc", "depthwise_conv_2d_nhwc_hwcm"]
CHANNELS = {"n": "b", "c": 3, "f": 4, "g": 2, "m": 2}
OUT = {"d": 2, "h": 3, "w": 4}
KERNEL = {"d": 2, "h": 3, "w": 2}


def window_sizes(letters, strides, dilations):
    return {s: (OUT[s] - 1) * t + (KERNEL[s] - 1) * d + 1 for s, t, d in zip(letters, strides, dilations)}


def windows(x, image, spatial, strides, dilations):
    """x with an axis of the window, in capitals, after the others for each of `spatial`."""
    for s, t, d in zip(spatial, strides, dilations):
        axis = image.index(s)
        view = np.lib.stride_tricks.sliding_window_view(x, (KERNEL[s] - 1) * d + 1, axis)[..., ::d]
        x = np.take(view, np.arange(OUT[s]) * t, axis)
    return x


def attributes(spatial, strides, dilations):
    rank = len(spatial)
    texts = {"dilations": dilations, "strides": strides}
    return "{" + ", ".join(f"{k} = dense<[{', '.join(map(str, v))}]> : tensor<{rank}xi64>" for k, v in texts.items()) + "}"


def convolutions():
    for name, equation in CONVOLUTIONS.items():
        image, filters, result = equation.replace("->", ",").split(",")
        spatial = [s for s in "dhw" if s in filters]
        plain = len(image) == len(spatial)
        strides = [1] * len(spatial) if plain else [2, 1, 2][: len(spatial)]
        dilations = [1] * len(spatial) if plain else [1, 2, 1][: len(spatial)]
        sizes = window_sizes(spatial, strides, dilations)
        upper = lambda letters: "".join(s.upper() if s in "dhw" else s for s in letters)
        sums = f"{image}{''.join(spatial).upper()},{upper(filters)}->{result}"
        shapes = [tuple({**CHANNELS, **sizes}[s] for s in image), tuple({**CHANNELS, **KERNEL}[s] for s in filters),
                  tuple({**CHANNELS, **OUT}[s] for s in result)]
        said = "" if plain else attributes(spatial, strides, dilations)
        pairs = [(e, e) for e in FLOATS + ["i1"] + INTEGERS] + MIXED
        for quantized in (False, True) if name in QUANTIZED else (False,):
            for element, wide in [("i8", "i32"), ("i16", "i32")] if quantized else pairs:
                def write(f, element=element, wide=wide, quantized=quantized):
                    inputs = [f.argument(element, shapes[0]), f.argument(element, shapes[1])]
                    if quantized:
                        inputs += [f.number(2, "i32"), f.number(-1, "i32")]
                    return f.named(f"{name}{'_q' if quantized else ''} {said}", inputs, f.filled(0, wide, shapes[2]))
                def expected(x, w, wide=wide, quantized=quantized, image=image, spatial=spatial, strides=strides, dilations=dilations, sums=sums):
                    if quantized:
                        x, w = x - 2, w + 1
                    return product(sums, wide)(windows(x, image, spatial, strides, dilations), w)
                add(f"linalg.{name}{'_q' if quantized else ''}", element if element == wide else f"{element}, {wide}", write, expected, small)


POOLS = [("nhwc", k) for k in ("sum", "max", "max_unsigned", "min", "min_unsigned")] + [("nchw", "sum"), ("nchw", "max")] + \
        [("nwc", k) for k in ("sum", "max", "max_unsigned", "min", "min_unsigned")] + [("ncw", "sum"), ("ncw", "max")] + \
        [("ndhwc", k) for k in ("sum", "max", "min")]


def pools():
    for image, kind in POOLS:
        spatial = [s for s in "dhw" if s in image]
        strides, dilations = [2, 1, 1][: len(spatial)], [1, 2, 1][: len(spatial)]
        sizes = window_sizes(spatial, strides, dilations)
        shapes = [tuple({**CHANNELS, **sizes}[s] for s in image), tuple(KERNEL[s] for s in spatial), tuple({**CHANNELS, **OUT}[s] for s in image)]
        for element in FLOATS + ["i1"] + INTEGERS:
            if "unsigned" in kind and is_float(element) or element == "i1" and kind != "sum":
                continue
            start = {"sum": 0, "max": -9, "min": 9, "max_unsigned": 0, "min_unsigned": -1}[kind] if element != "i1" else 0
            def write(f, element=element):
                inputs = [f.argument(element, shapes[0]), f.empty(element, shapes[1])]
                return f.named(f"pooling_{image}_{kind} {attributes(spatial, strides, dilations)}", inputs, f.filled(start, element, shapes[2]))
            def expected(x, element=element, image=image, kind=kind, spatial=spatial, strides=strides, dilations=dilations):
                over = tuple(range(-len(spatial), 0))
                seen = windows(x, image, spatial, strides, dilations)
                if element == "i1":
                    return seen.any(over)
                if "unsigned" in kind:
                    seen = np.where(seen < 0, seen + 2.0**40, seen)  # larger than all others
                    seen = seen.max(over) if kind.startswith("max") else seen.min(over)
                    return np.where(seen > 2.0**39, seen - 2.0**40, seen).astype(np.int64)
                return {"sum": np.sum, "max": np.max, "min": np.min}[kind](seen, over)
            # Beyond 8, floats of 8 bits with two digits lack odd numbers.
            add(f"linalg.pooling_{image}_{kind}", element, write, expected, small, 1 if element == "f8E5M2" and kind == "sum" else 0)


def winograd():
    """The steps of F(4x4, 3x3) by themselves."""
    forms = [("filter", (2, 3, 3, 5), (6, 6, 5, 2)), ("input", (2, 6, 6, 5), (6, 6, 1, 1, 2, 5)), ("output", (6, 6, 1, 1, 2, 5), (2, 4, 4, 5))]
    for step, given, result in forms:
        def write(f, step=step, given=given, result=result):
            return f.named(f"winograd_{step}_transform fmr(F_4_3)", [f.argument("f32", given)], f.filled(0, "f32", result))
        add(f"linalg.winograd_{step}_transform", "f32", write, lambda x: x, small)


def table():
    products()
    convolutions()
    pools()
    winograd()
