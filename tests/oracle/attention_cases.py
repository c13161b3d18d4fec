"""Attention, in all types of floats: softmax(scale Q K' + mask) V of each head."""
import numpy as np

from narrow import LONG
from normalization_cases import TYPES
from cases import BOOLEAN, F32


def limits(batch, queries, keys, past=0, causal=False, valid=None, left=-1, right=-1):
    """Which keys each query of a sequence sees, [batch or 1, 1, queries, keys]: `valid` has the number of keys that count of each sequence."""
    counts = np.full(1, keys) if valid is None else np.asarray(valid)
    key = np.arange(keys)[None, None, None, :]
    own = np.arange(queries)[None, None, :, None] + (past if valid is None else (counts - queries)[:, None, None, None])
    seen = np.broadcast_to(key < counts[:, None, None, None], (len(counts), 1, queries, keys))
    for applies, test in ((causal, key <= own), (left >= 0, key >= own - left), (right >= 0, key <= own + right)):
        if applies:
            seen = seen & test
    return seen


def attention(q, k, v, kind, stages=None, scale=None, mask=None, past=0, causal=False, softcap=0.0, **limited):
    """(the result, its error), computed in the kind's type; u is its unit roundoff. Tensors are [batch, heads, length, width]; heads of K are
    shared by as many of Q's that follow each other. A query all of whose keys are masked gives zeros. To the list `stages`, the scores and
    their errors are appended: scaled, after the cap, with the masks, and as weights.
    A mask of fewer keys, and more than one, masks the others.

    A score is off by (width + 4) u times the sum of its products' magnitudes, and by what the mask and the cap add. A weight's
    relative error is that of its score and of the largest one, of their difference, and of exp; the sum of weights has the mean of
    those, and both sums add their own. Functions whose results are rounded to 16 bits have fewer digits.
    """
    dtype, rough = kind.dtype, kind.rough
    u = LONG(np.finfo(dtype).eps) / 2
    q, k, v = (np.asarray(x, LONG) for x in (q, k, v))
    group = q.shape[1] // k.shape[1]
    k, v = (np.repeat(x, group, axis=1) for x in (k, v))
    width, count = q.shape[3], k.shape[2]
    scale = LONG(1) / np.sqrt(LONG(width)) if scale is None else LONG(dtype(scale))
    with np.errstate(all="ignore"):
        s = np.matmul(q, np.swapaxes(k, 2, 3)) * scale
        off = (width + 4) * u * np.matmul(np.abs(q), np.abs(np.swapaxes(k, 2, 3))) * scale
        seen_so_far = [(s, off)]
        if softcap > 0:
            s = softcap * np.tanh(s / softcap)
            off = off + (16 * u + rough) * np.abs(s)
        seen_so_far.append((s, off))
        if mask is not None:
            if 1 < mask.shape[-1] < count:
                nobody = False if mask.dtype == BOOLEAN else -np.inf
                mask = np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, count - mask.shape[-1])], constant_values=nobody)
            s = np.where(mask, s, LONG(-np.inf)) if mask.dtype == BOOLEAN else s + np.asarray(mask, LONG)
            off = off + u * np.where(np.isfinite(s), np.abs(s), LONG(0))
        if causal or limited:
            s = np.where(limits(q.shape[0], q.shape[2], count, past, causal, **limited), s, LONG(-np.inf))
        largest = np.max(s, axis=3, keepdims=True)
        w = np.exp(s - largest)
        w = w / np.sum(w, axis=3, keepdims=True)
        if mask is not None or limited:
            w = np.where(largest == -np.inf, LONG(0), w)
        seen_so_far += [(s, off), (w, None)]
        far = np.where(np.isfinite(s), np.abs(s - largest), LONG(0))
        relative = np.where(np.isfinite(s), off, LONG(0)) + np.max(off, axis=3, keepdims=True) + u * far + 24 * u + 2 * rough
        mean = np.sum(w * relative, axis=3, keepdims=True)
        y = np.matmul(w, v)
        error = np.matmul(w * (relative + mean + (count + 8) * u), np.abs(v))
        error = 1.1 * error + LONG(np.finfo(dtype).tiny) * np.sum(np.abs(v), axis=2, keepdims=True)
        if stages is not None:
            seen_so_far[3] = (seen_so_far[3][0], w * (relative + mean) + LONG(np.finfo(dtype).tiny) * count)
            stages += [(x, np.where(np.isfinite(x) & np.isfinite(e), 1.1 * e, LONG(0))) for x, e in seen_so_far]
    return y, np.where(np.isfinite(y) & np.isfinite(error), error, LONG(0))


# (batch, heads of Q, heads of K, queries, keys, width of Q and K, width of V)
FORMS = ((1, 2, 2, 17, 33, 5, 7), (1, 2, 1, 16, 7, 4, 16), (1, 1, 1, 1, 1, 1, 1), (1, 2, 1, 5, 5, 16, 3), (1, 1, 1, 19, 270, 2, 2),
         (3, 1, 1, 8, 1, 4, 5), (1, 2, 2, 1, 37, 5, 4), (1, 6, 2, 9, 12, 3, 4))
LARGE = ((1, 2, 2, 197, 197, 64, 64), (1, 2, 1, 70, 390, 40, 24), (1, 1, 1, 130, 512, 64, 64))


def operands(kind, form, name="", low=-2.0, high=2.0):
    batch, heads, shared, m, n, width, wide = form
    shapes = {"q": (batch, heads, m, width), "k": (batch, shared, n, width), "v": (batch, shared, n, wide)}
    return [kind.random(f"attention {name}{letter} {shape}", shape, low, high) for letter, shape in shapes.items()]


def together(x):
    """[batch, length, heads * width]"""
    return np.swapaxes(x, 1, 2).reshape(x.shape[0], x.shape[2], -1)


def attention_cases():
    for kind in TYPES:
        few = kind.name not in ("f32", "bf16")
        for form in FORMS[:2] if few else FORMS + (LARGE if kind.name == "f32" else ()):
            q, k, v = operands(kind, form)
            yield kind.case("-".join(map(str, form)), [q, k, v], *attention(q, k, v, kind), large=form in LARGE)
        yield from variants(kind)
        if kind.name == "f32":
            yield from masks(kind)
            yield from short_masks(kind)
            yield from special(kind)
        yield from counted_keys(kind)
        yield from few_queries(kind)
        yield from masked_queries(kind)
        yield from scores_on_the_way(kind)


def variants(kind):
    q, k, v = operands(kind, (2, 4, 2, 9, 5, 3, 2), "variant ")
    y, error = attention(q, k, v, kind, scale=0.5)
    yield kind.case("together", [together(x) for x in (q, k, v)], together(y), together(error), scale=0.5, q_num_heads=4, kv_num_heads=2)
    yield kind.case("causal", [q, k, v], *attention(q, k, v, kind, causal=True), is_causal=1)
    yield kind.case("softcap", [q, k, v], *attention(q, k, v, kind, softcap=1.5), softcap=1.5)


def masks(kind):
    q, k, v = operands(kind, (2, 4, 2, 17, 5, 3, 2), "mask ")
    for shape in ((17, 5), (5,), (2, 1, 1, 5), (4, 17, 1), (2, 4, 17, 5)):
        m = kind.random(f"mask {shape}", shape, -3.0, 3.0)
        text = "x".join(map(str, shape))
        yield kind.case(f"mask-{text}", [q, k, v, m], *attention(q, k, v, kind, mask=m))
        m = np.array(m > -1, BOOLEAN)
        m.reshape(-1, shape[-1])[0] = True  # some key for everyone
        yield kind.case(f"bool-mask-{text}", [q, k, v, m], *attention(q, k, v, kind, mask=m, causal=shape == (5,)),
                        **({"is_causal": 1} if shape == (5,) else {}))
    # Many blocks of keys, some of which a block of queries does not see.
    q, k, v = operands(kind, (1, 1, 1, 90, 300, 2, 1), "long ")
    y, error = attention(q, k, v, kind, causal=True, past=210)
    yield kind.case("causal-blocks", [q, k[:, :, 210:], v[:, :, 210:], None, k[:, :, :210], v[:, :, :210]], y, error, is_causal=1)
    q, k, v = operands(kind, (1, 1, 1, 270, 260, 1, 1), "longer ")
    yield kind.case("causal-more-queries", [q, k, v], *attention(q, k, v, kind, causal=True), is_causal=1)
    m = np.arange(260) < 250
    m[:140] = False
    yield kind.case("masked-blocks", [q[:, :, :20], k, v, m], *attention(q[:, :, :20], k, v, kind, mask=m))
    # A step of a decoder.
    q, k, v = operands(kind, (1, 4, 2, 3, 13, 6, 5), "step ")
    m = kind.random("step mask", (3, 13), -2.0, 2.0)
    y, error = attention(q, k, v, kind, mask=m, causal=True, past=10)
    now, past = [x[:, :, 10:] for x in (k, v)], [x[:, :, :10] for x in (k, v)]
    yield kind.case("step", [q, *now, m, *past], y, error, is_causal=1)
    for name, inputs in (("step-present", [q, *now, None, *past]), ("step-together", [*map(together, (q, *now)), None, *past])):
        y, error = attention(q, k, v, kind)
        if name == "step-together":
            y, error = together(y), together(error)
        heads = {"q_num_heads": 4, "kv_num_heads": 2} if name == "step-together" else {}
        case = kind.case(name, inputs, y, error, **heads)
        case.expected += [k, v]
        case.bounds += [np.zeros(k.shape, LONG), np.zeros(v.shape, LONG)]
        yield case


def counted_keys(kind):
    """Caches of which the first keys count, as many as each sequence has; windows; and both."""
    few = kind.name != "f32"
    for form in ((3, 4, 2, 2, 11, 4, 3), *(() if few else ((2, 2, 2, 9, 21, 3, 5), (3, 2, 1, 1, 290, 8, 8)))):
        batch, keys = form[0], form[4]
        q, k, v = operands(kind, form, "counted ")
        valid = np.array([keys, 1, keys // 2][:batch])
        label = "x".join(map(str, form))
        for name, options in (("", {}), ("-causal", {"causal": True}), ("-windows", {"causal": True, "left": 3}), ("-both", {"left": 2, "right": 1})):
            attributes = {{"causal": "is_causal", "left": "left_window_size", "right": "right_window_size"}[key]: int(value) for key, value in options.items()}
            yield kind.case(f"counted{name}-{label}", [q, k, v, None, None, None, valid], *attention(q, k, v, kind, valid=valid, **options), **attributes)
    batch, heads, _, m, n = form[:5]
    seen = np.asarray(kind.random("counted seen", (batch, 1, m, n), 0.0, 1.0)) < 0.8
    y, error = attention(q, k, v, kind, mask=seen, valid=valid, causal=True)
    yield kind.case("counted-bool-mask", [q, k, v, seen, None, None, valid], y, error, is_causal=1)
    if few:
        return
    added = kind.random("counted added", (heads, m, n - 7), -1.0, 1.0)
    y, error = attention(q, k, v, kind, mask=added, valid=valid, left=100)
    yield kind.case("counted-added-mask", [q, k, v, added, None, None, valid], y, error, left_window_size=100)
    q, k, v = operands(kind, (2, 2, 1, 19, 40, 4, 3), "window ")
    for name, options in (("left", {"left": 5}), ("right", {"right": 0}), ("both", {"left": 4, "right": 2}), ("causal", {"left": 7, "causal": True})):
        attributes = {{"causal": "is_causal", "left": "left_window_size", "right": "right_window_size"}[key]: int(value) for key, value in options.items()}
        y, error = attention(q, k, v, kind, past=21, **options)
        yield kind.case(f"window-{name}-past", [q, k[:, :, 21:], v[:, :, 21:], None, k[:, :, :21], v[:, :, :21]], y, error, **attributes)
    y, error = attention(q[:, :, :, :], k[:, :, :5], v[:, :, :5], kind, left=3)
    yield kind.case("window-beyond-keys", [q, k[:, :, :5], v[:, :, :5]], y, error, left_window_size=3)


def few_queries(kind):
    """Steps of a decoder: as many queries as half of a vector has lanes or fewer, over caches that are filled so far; heads wider than vectors,
    and heads that share their keys."""
    forms = ((2, 4, 2, 1, 70, 20, 5), (3, 2, 1, 3, 37, 5, 17), (1, 1, 1, 2, 33, 16, 80))
    for form in forms if kind.name == "f32" else [(3, 2, 1, 3, 9, 5, 3)]:
        batch, heads, _, m, n, width, wide = form
        label = "x".join(map(str, form))
        q, k, v = operands(kind, form, "few ")
        valid = np.array([n, 1, n // 2 + 1][3 - batch :])
        options = {"softcap": 2.5, "scale": 0.25}
        y, error = attention(q, k, v, kind, valid=valid, causal=True, **options)
        yield kind.case(f"few-{label}", [q, k, v, None, None, None, valid], y, error, is_causal=1, **options)
        rows = [together(x) for x in (q, k, v)]
        y, error = attention(q, k, v, kind, valid=valid)
        yield kind.case(f"few-together-{label}", [*rows, None, None, None, valid], together(y), together(error), q_num_heads=heads, kv_num_heads=form[2])
        added = kind.random(f"few added {label}", (batch, heads, m, n), -1.0, 1.0)
        y, error = attention(q, k, v, kind, mask=added, valid=valid, causal=True, left=30)
        yield kind.case(f"few-window-{label}", [q, k, v, added, None, None, valid], y, error, is_causal=1, left_window_size=30)
        y, error = attention(q, k, v, kind, causal=True, past=n - m)
        now, past = [x[:, :, n - m :] for x in (k, v)], [x[:, :, : n - m] for x in (k, v)]
        yield kind.case(f"few-past-{label}", [q, *now, None, *past], y, error, is_causal=1)


def special(kind):
    """Queries that see no key, infinite and large scores, NaN; values that are infinite."""
    for n in (9, 260):
        q, k, v = operands(kind, (1, 1, 1, 12, n, 1, 3), f"special {n} ", -1.0, 1.0)
        m = np.zeros((12, n), F32)
        m[0], m[1, : n - 1], m[2, 3], m[3, n - 1], m[4, 2] = -np.inf, -np.inf, np.inf, np.nan, -1e30
        m[5] = 1e30
        m[6, : n // 2] = 80
        yield kind.case(f"special-scores-{n}", [q, k, v, m], *attention(q, k, v, kind, mask=m))
        big = q * F32(1e4)
        big[0, 0, 7, 0] = np.nan
        yield kind.case(f"large-scores-{n}", [big, k, v], *attention(big, k, v, kind))
        w = v.copy()
        w[0, 0, n - 2, 0], w[0, 0, 1, 1], w[0, 0, 0, 2] = np.inf, np.nan, -np.inf
        yield kind.case(f"special-values-{n}", [q, k, w], *attention(q, k, w, kind))


def masked_queries(kind):
    """Queries all of whose keys are masked: in one block of keys and in several."""
    forms = ((1, 2, 1, 19, 9, 4, 5), (1, 1, 1, 17, 270, 1, 1)) if kind.name == "f32" else ((1, 2, 1, 19, 9, 4, 5),)
    for form in forms:
        m, n = form[3:5]
        q, k, v = operands(kind, form, "masked ")
        seen = np.asarray(kind.random(f"seen {form}", (m, n), 0.0, 1.0)) < 0.5
        seen[:, 0] = True
        seen[1], seen[7], seen[m - 1], seen[3, : n - 1], seen[3, n - 1] = False, False, False, False, True
        added = np.where(seen, kind.random(f"masked {form}", (m, n)), kind.dtype(-np.inf))
        added = kind.format.rounded(added) if kind.name in ("bf16", "f16") else added.astype(kind.dtype)
        yield kind.case(f"masked-queries-bool-{n}", [q, k, v, seen], *attention(q, k, v, kind, mask=seen))
        yield kind.case(f"masked-queries-{n}", [q, k, v, added], *attention(q, k, v, kind, mask=added))
        if kind.name == "f32":
            yield kind.case(f"masked-queries-causal-{n}", [q, k, v, seen], *attention(q, k, v, kind, mask=seen, causal=True), is_causal=1)
    # Fewer queries than are fused, one of which sees nothing; and nobody sees anything.
    q, k, v = operands(kind, (1, 2, 2, 2, 140, 4, 3), "few masked ")
    seen = np.zeros((2, 140), BOOLEAN)
    seen[1, 3::5] = True
    yield kind.case("masked-queries-unfused", [q, k, v, seen], *attention(q, k, v, kind, mask=seen))
    q, k, v = operands(kind, (1, 1, 1, 17, 5, 3, 4), "all masked ")
    yield kind.case("all-masked", [q, k, v, np.zeros((1, 5), BOOLEAN)], *attention(q, k, v, kind, mask=np.zeros((1, 5), BOOLEAN)))
    q[0, 0, 2, 1], q[0, 0, 5, 0] = np.nan, np.inf  # a score that is not masked remains one
    seen = np.zeros((17, 5), BOOLEAN)
    seen[2, 3], seen[5, 1] = True, True
    yield kind.case("masked-but-nan", [q, k, v, seen], *attention(q, k, v, kind, mask=seen))


def short_masks(kind):
    """Masks of fewer keys, of one head and of all, with keys of the past, and one that is for all keys."""
    for form, keys in (((2, 4, 2, 5, 9, 3, 2), 4), ((1, 2, 1, 17, 40, 8, 4), 33)):
        q, k, v = operands(kind, form, "short mask ")
        m, n = form[3:5]
        seen = np.asarray(kind.random(f"short mask seen {form}", (m, keys), 0.0, 1.0)) < 0.7
        added = kind.random(f"short mask added {form}", (form[0], form[1], m, keys), -1.0, 1.0)
        yield kind.case(f"mask-of-{keys}-of-{n}-bool", [q, k, v, seen], *attention(q, k, v, kind, mask=seen))
        yield kind.case(f"mask-of-{keys}-of-{n}", [q, k, v, added], *attention(q, k, v, kind, mask=added))
    now, past = [x[:, :, 6:] for x in (k, v)], [x[:, :, :6] for x in (k, v)]
    y, error = attention(q, k, v, kind, mask=seen)
    case = kind.case(f"mask-of-{keys}-of-{n}-past", [q, *now, seen, *past], y, error)
    yield case
    one = seen[:, :1]
    yield kind.case(f"mask-of-one-of-{n}", [q, k, v, one], *attention(q, k, v, kind, mask=one))


def scores_on_the_way(kind):
    """The fourth result in its four modes, alone and after all others."""
    q, k, v = operands(kind, (2, 2, 1, 9, 7, 3, 2), "scores ")
    seen = np.asarray(kind.random("scores seen", (2, 1, 9, 7), 0.0, 1.0)) < 0.6
    seen[0, 0, 4], seen[1, 0, 8, 1:] = False, False
    settings = {"": {}, "softcap": {"softcap": 1.5}, "mask": {"mask": seen}, "all": {"softcap": 0.75, "mask": seen, "causal": True}}
    for name, options in settings.items():
        if kind.name != "f32" and name != "all":
            continue
        stages = []
        result = attention(q, k, v, kind, stages, past=3 if name == "all" else 0, **options)
        now, past = ([k[:, :, 3:], v[:, :, 3:]], [k[:, :, :3], v[:, :, :3]]) if name == "all" else ([k, v], [])
        given = [q, *now, *([options["mask"]] if "mask" in options else [None] if past else []), *past]
        attributes = {"softcap": options["softcap"]} if "softcap" in options else {}
        if "causal" in options:
            attributes["is_causal"] = 1
        for mode in range(4):
            label = "-".join(filter(None, ("scores", name, str(mode))))
            case = kind.case(label, given, *result, qk_matmul_output_mode=mode, **attributes)
            scores = kind.case(label, given, *stages[mode])
            case.expected += [k, v, *scores.expected]
            case.bounds = [*case.bounds, np.zeros(k.shape, LONG), np.zeros(v.shape, LONG), *(scores.bounds or [np.zeros(stages[mode][0].shape, LONG)])]
            yield case


OPERATORS = {"Attention": attention_cases}
