"""The body of Attention as the standard writes it (opsets 23 to 25), node by node with shapes that are computed, against numpy: attention_bodies.py KGEN
FOLDER. Exporters and functions of models have Attention in this form."""
import itertools
import re
import subprocess
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy, python3-onnx)")
    sys.exit(77)

KGEN, FOLDER = sys.argv[1], Path(sys.argv[2])
random = np.random.default_rng(1)
SHAPES = """
BatchSize = Shape <start = 0, end = 1> (Q)
QSeqLen = Shape <start = -2, end = -1> (Q)
KVSeqLen = Shape <start = -2, end = -1> (K)
"""
SPLIT = """
QIntermediateShape = Concat <axis = 0> (BatchSize, QSeqLen, QNumHeadsAttr, NegOne1D)
KVIntermediateShape = Concat <axis = 0> (BatchSize, KVSeqLen, KVNumHeadsAttr, NegOne1D)
QIntermediate = Reshape (Q, QIntermediateShape)
KIntermediate = Reshape (K, KVIntermediateShape)
VIntermediate = Reshape (V, KVIntermediateShape)
QReshaped = Transpose <perm = [0, 2, 1, 3]> (QIntermediate)
KReshaped = Transpose <perm = [0, 2, 1, 3]> (KIntermediate)
VReshaped = Transpose <perm = [0, 2, 1, 3]> (VIntermediate)
"""
SAME = "QReshaped = Identity(Q)\nKReshaped = Identity(K)\nVReshaped = Identity(V)\n"
SCALE = """
QNumHeads = Shape <start = 1, end = 2> (QReshaped)
KVNumHeads = Shape <start = 1, end = 2> (KReshaped)
QKHeadSize = Shape <start = 3, end = 4> (QReshaped)
QKHeadSizeF = Cast <to = 1> (QKHeadSize)
VHeadSize = Shape <start = 3, end = 4> (VReshaped)
SqrtHeadSize = Sqrt(QKHeadSizeF)
CalculatedScale = Div(One1DF, SqrtHeadSize)
ScaleFactor = Identity(CalculatedScale)
ScaleFactorSqrt = Sqrt(ScaleFactor)
ScaleFactorF = Cast <to = 1> (ScaleFactorSqrt)
"""
PAST = """
PresentKey = Concat <axis = 2> (past_key, KReshaped)
PastKVSeqLen = Shape <start = -2, end = -1> (past_key)
present_key = Identity (PresentKey)
PresentValue = Concat <axis = 2> (past_value, VReshaped)
present_value = Identity (PresentValue)
"""
NO_PAST = "PresentKey = Identity (KReshaped)\nPastKVSeqLen = Identity(Zero1D)\nPresentValue = Identity (VReshaped)\n"
BIAS_SHAPE = """
NewKVSeqLen = Shape <start = -2, end = -1> (PresentKey)
AttnBiasShape = Concat <axis = 0> (QSeqLen, NewKVSeqLen)
"""
MASK = """
MaskKVSeqLen = Shape <start = -1> (attn_mask)
PaddingKVSeqLen = Sub(NewKVSeqLen, MaskKVSeqLen)
Pads = Concat <axis = 0> (Zero1D, PaddingKVSeqLen)
FloatNegInfCast = CastLike(FloatNegInf, AttnBiasShort)
AttnBias = Pad(AttnBiasShort, Pads, FloatNegInfCast, NegOne1D)
"""
CAUSAL = """
ZeroNoDim = Squeeze(Zero1D, Zero1D)
OneNoDim = Squeeze(One1D, Zero1D)
SequenceLength = Gather(AttnBiasShape, ZeroNoDim)
TotalSequenceLength = Gather(AttnBiasShape, OneNoDim)
RangeRow = Range(ZeroNoDim, SequenceLength, OneNoDim)
RangeRow2D = Unsqueeze(RangeRow, One1D)
RangeCol = Range(ZeroNoDim, TotalSequenceLength, OneNoDim)
RangeCol2D = Unsqueeze(RangeCol, Zero1D)
RangeRow2DPast = Add(RangeRow2D, PastKVSeqLen)
BoolMaskTri = Less(RangeRow2DPast, RangeCol2D)
MaskTri = Where(BoolMaskTri, FloatNegInf, ScalarZero)
AttnBiasCausalOrNot = Add(AttnBias, MaskTri)
"""
NONPAD = """
KVSeqLenExpanded = Unsqueeze(nonpad_kv_seqlen, One1D)
KVSeqLen0D = Squeeze(KVSeqLen)
Range = Range(Zero0D, KVSeqLen0D, One0D)
PaddingMaskBool = Less(Range, KVSeqLenExpanded)
PaddingMaskFloat = Where(PaddingMaskBool, ScalarZero, FloatNegInf)
PaddingMask3D = Unsqueeze(PaddingMaskFloat, One1D)
PaddingMask4DFloat = Unsqueeze(PaddingMask3D, One1D)
PaddingMask4D = CastLike(PaddingMask4DFloat, AttnBiasCausalOrNot)
AttnBiasCausalPad = Add(AttnBiasCausalOrNot, PaddingMask4D)
"""
REPEAT = """
AttnBiasT = Cast <to = 1> (AttnBiasCausalPad)
NGQACond1 = Equal(QNumHeads, KVNumHeads)
GQACond1 = Not(NGQACond1)
DivNumHeads = Div(QNumHeads, KVNumHeads)
IDivNumHeads = Cast <to = 7> (DivNumHeads)
RemainderNumHeads = Mod(QNumHeads, KVNumHeads)
GQACond2 = Equal(RemainderNumHeads, Zero1D)
GQACond = And(GQACond1, GQACond2)
InterleaveDim = Where(GQACond, IDivNumHeads, One1D)
KUnsqueezed = Unsqueeze(PresentKey, Two1D)
VUnsqueezed = Unsqueeze(PresentValue, Two1D)
KExpandShape = Concat <axis = 0> (BatchSize, KVNumHeads, InterleaveDim, NewKVSeqLen, QKHeadSize)
KExpanded = Expand(KUnsqueezed, KExpandShape)
VExpandShape = Concat <axis = 0> (BatchSize, KVNumHeads, InterleaveDim, NewKVSeqLen, VHeadSize)
VExpanded = Expand(VUnsqueezed, VExpandShape)
KAttentionShape = Concat <axis = 0> (BatchSize, QNumHeads, NewKVSeqLen, QKHeadSize)
VAttentionShape = Concat <axis = 0> (BatchSize, QNumHeads, NewKVSeqLen, VHeadSize)
KAttentionInput = Reshape(KExpanded, KAttentionShape)
VAttentionInput = Reshape(VExpanded, VAttentionShape)
KTranspose = Transpose <perm = [0, 1, 3, 2]> (KAttentionInput)
QScaled = Mul(QReshaped, ScaleFactorF)
KScaled = Mul(KTranspose, ScaleFactorF)
QKAttnWeight = MatMul(QScaled, KScaled)
QKAttnCast = Cast <to = 1> (QKAttnWeight)
"""
SOFTCAP = """
SoftcapF = Cast <to = 1> (Softcap)
SoftcapDiv = Div(QKAttnCast, SoftcapF)
SoftcapTanh = Tanh(SoftcapDiv)
QKAttnSoftcapped = Mul(SoftcapTanh, SoftcapF)
QKAttnWeightSoftcap = Add(QKAttnSoftcapped, AttnBiasT)
"""
SOFTMAX = """
SoftmaxCast = Cast <to = 1> (QKAttnWeightSoftcap)
AttnWeightSoftmax = Softmax (SoftmaxCast)
SoftmaxOut = Cast <to = 1> (AttnWeightSoftmax)
BiasRowMax = ReduceMax(AttnBiasT, NegOne1D)
FloatNegInfT = CastLike(FloatNegInf, AttnBiasT)
RowAllMasked = Equal(BiasRowMax, FloatNegInfT)
ZeroProbT = CastLike(ScalarZero, SoftmaxOut)
SoftmaxOutSafe = Where(RowAllMasked, ZeroProbT, SoftmaxOut)
YPreReshape = MatMul(SoftmaxOutSafe, VAttentionInput)
"""
JOIN = """
YTranspose = Transpose <perm = [0, 2, 1, 3]> (YPreReshape)
YNewShape = Concat <axis = 0> (Zero1D, Zero1D, NegOne1D)
Y = Reshape(YTranspose, YNewShape)
"""
LINE = re.compile(r"(\w+)\s*=\s*(\w+)\s*(?:<(.*)>)?\s*\((.*)\)")


def body(case):
    text = SHAPES + (SPLIT if case["packed"] else SAME) + SCALE + (PAST if case["past"] else NO_PAST) + BIAS_SHAPE
    if case["mask"]:
        text += ("AttnBiasShort = Where(attn_mask, ScalarZero, FloatNegInf)" if case["mask"] == "bool" else "AttnBiasShort = Identity(attn_mask)") + MASK
    else:
        text += "AttnBias = ConstantOfShape(AttnBiasShape)"
    text += CAUSAL if case["causal"] else "\nAttnBiasCausalOrNot = Identity(AttnBias)"
    text += NONPAD if case["nonpad"] else "\nAttnBiasCausalPad = Identity(AttnBiasCausalOrNot)"
    text += REPEAT + (SOFTCAP if case["softcap"] else "QKAttnWeightSoftcap = Add(QKAttnCast, AttnBiasT)") + SOFTMAX
    return text + (JOIN if case["packed"] else "Y = Identity(YPreReshape)")


def nodes_of(text):
    for line in filter(None, text.split("\n")):
        result, op, attributes, operands = LINE.fullmatch(line).groups()
        values = {}
        for part in re.findall(r"(\w+) = (\[[^\]]*\]|-?\d+)", attributes or ""):
            values[part[0]] = [int(n) for n in part[1].strip("[]").split(",")] if part[1][0] == "[" else int(part[1])
        yield helper.make_node(op, [name.strip() for name in operands.split(",")], [result], name=result, **values)


def expected(case, values):
    q, k, v = (values[name].astype(np.float64) for name in "QKV")
    if case["packed"]:
        q, k, v = (x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3) for x, heads in ((q, case["heads"]), (k, case["kv"]), (v, case["kv"])))
    past = 0
    if case["past"]:
        past = values["past_key"].shape[2]
        k, v = np.concatenate([values["past_key"], k], 2), np.concatenate([values["past_value"], v], 2)
    present, repeats, (rows, columns) = (k, v), case["heads"] // case["kv"], (q.shape[2], k.shape[2])
    k, v = np.repeat(k, repeats, 1), np.repeat(v, repeats, 1)
    scores = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
    if case["softcap"]:
        scores = case["softcap"] * np.tanh(scores / case["softcap"])
    bias = np.zeros((1, 1, rows, columns))
    if case["mask"]:
        mask = values["attn_mask"]
        mask = np.where(mask, 0, -np.inf) if mask.dtype == bool else mask.astype(np.float64)
        bias = bias + np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, columns - mask.shape[-1])], constant_values=-np.inf)
    if case["causal"]:
        bias = bias + np.where(np.arange(rows)[:, None] + past < np.arange(columns), -np.inf, 0)
    if case["nonpad"]:
        bias = bias + np.where(np.arange(columns) < values["nonpad_kv_seqlen"][:, None], 0, -np.inf)[:, None, None, :]
    scores = scores + bias
    top = np.maximum(scores.max(-1, keepdims=True), -1e300)
    powers = np.exp(scores - top)
    y = np.einsum("bhij,bhjd->bhid", powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300), v)
    if case["packed"]:
        y = y.transpose(0, 2, 1, 3).reshape(y.shape[0], rows, -1)
    return {"Y": y, **({"present_key": present[0], "present_value": present[1]} if case["past"] else {})}


def values_of(case):
    batch, rows, columns, size, of_v, past = 2, 4, 6, 8, 10, 3
    normal = lambda *shape: random.standard_normal(shape).astype(np.float32)
    shape = lambda heads, length, size: (batch, length, heads * size) if case["packed"] else (batch, heads, length, size)
    values = {"Q": normal(*shape(case["heads"], rows, size)), "K": normal(*shape(case["kv"], columns, size)), "V": normal(*shape(case["kv"], columns, of_v))}
    if case["past"]:
        values.update(past_key=normal(batch, case["kv"], past, size), past_value=normal(batch, case["kv"], past, of_v))
    total = columns + (past if case["past"] else 0)
    if case["mask"]:
        mask = normal(rows, total - (2 if case["short"] else 0))
        values["attn_mask"] = mask > -0.5 if case["mask"] == "bool" else mask
        if case["mask"] == "bool":
            values["attn_mask"][1] = False  # a row that sees nothing
    if case["nonpad"]:
        values["nonpad_kv_seqlen"] = np.array([3, 6], np.int64)
    return values


def check(number, case):
    values = values_of(case)
    results = expected(case, values)
    constants = {"QNumHeadsAttr": [case["heads"]], "KVNumHeadsAttr": [case["kv"]], "Zero1D": [0], "One1D": [1], "Two1D": [2], "NegOne1D": [-1], "Zero0D": 0, "One0D": 1}
    floats = {"One1DF": [1], "FloatNegInf": [-np.inf], "ScalarZero": [0], "Softcap": [case["softcap"] or 1]}
    weights = [numpy_helper.from_array(np.array(value, np.int64), name) for name, value in constants.items()]
    weights += [numpy_helper.from_array(np.array(value, np.float32), name) for name, value in floats.items()]
    info = lambda name, array, shape: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype) if hasattr(helper, "np_dtype_to_tensor_dtype") else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], shape)
    # With an open batch, all first axes but the mask's are one size.
    shape_of = lambda name, array: ["batch", *array.shape[1:]] if case["open"] and name != "attn_mask" else array.shape
    nodes = list(nodes_of(body(case)))
    used = {name for node in nodes for name in node.input}
    graph = helper.make_graph(nodes, "g", [info(name, array, shape_of(name, array)) for name, array in values.items()],
                              [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results], [w for w in weights if w.name in used])
    model, data = FOLDER / f"case{number}.onnx", FOLDER / f"case{number}.npz"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=10), model)
    np.savez(data, **values, **{name: array.astype(np.float32) for name, array in results.items()})
    ran = subprocess.run([KGEN, "verify", model, "--target", "x86-64-v3", "--against", data, *(["--dim", "batch=1..4"] if case["open"] else [])],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ran.returncode == 0 and "all results agree" in ran.stdout:
        return True
    print(f"case {number}, {case}: exit code {ran.returncode}\n{ran.stdout}")
    return False


def cases():
    """Each feature with both forms of inputs; the long list is all of them together."""
    plain = {"packed": False, "heads": 4, "kv": 4, "past": False, "mask": None, "short": False, "causal": False, "nonpad": False, "softcap": None, "open": False}
    yield {**plain, "causal": True}
    yield {**plain, "packed": True, "kv": 2, "mask": "bool", "causal": True, "past": True}
    yield {**plain, "mask": "float", "short": True, "nonpad": True, "softcap": 2.0}
    yield {**plain, "packed": True, "kv": 1, "causal": True, "open": True}
    if "--all" not in sys.argv:
        return
    for packed, kv, past, mask, causal, nonpad, softcap, is_open in itertools.product((False, True), (4, 2), (False, True), (None, "bool", "float"), (False, True), (False, True), (None, 2.0), (False, True)):
        yield {**plain, "packed": packed, "kv": kv, "past": past, "mask": mask, "short": mask == "float", "causal": causal, "nonpad": nonpad and not past, "softcap": softcap, "open": is_open}


FOLDER.mkdir(parents=True, exist_ok=True)
results = [check(number, case) for number, case in enumerate(cases())]
print(f"{sum(results)} of {len(results)} right")
sys.exit(0 if all(results) else 1)
