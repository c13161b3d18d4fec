"""python/kgen_onnx.py beside what the standard's runner asks of it: backend_calls.py KGEN SOURCE WORK. Without onnx it is skipped (77)."""
import os
import shutil
import sys
import unittest
from pathlib import Path

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy, python3-onnx)")
    sys.exit(77)

WORK = Path(sys.argv[3])
os.environ["KGEN"], os.environ["KGEN_ONNX_CACHE"] = sys.argv[1], str(WORK)
sys.path.insert(0, str(Path(sys.argv[2]) / "python"))
import kgen_onnx  # noqa: E402


def model_of(nodes, inputs, outputs, initializers=()):
    infos = [[helper.make_tensor_value_info(*one) for one in some] for some in (inputs, outputs)]
    return helper.make_model(helper.make_graph(nodes, "g", *infos, initializer=initializers), opset_imports=[helper.make_opsetid("", 13)])


F32, I64, BF16 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BFLOAT16
X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)


class Backend(unittest.TestCase):
    def test_a_node(self):
        outputs = kgen_onnx.run_node(helper.make_node("Relu", ["x"], ["y"]), [X])
        np.testing.assert_array_equal(outputs.y, np.maximum(X, 0))
        outputs = kgen_onnx.run_node(helper.make_node("Split", ["x"], ["a", "b"], axis=0), [X])
        np.testing.assert_array_equal(np.concatenate([outputs["a"], outputs[1]]), X)

    def test_inputs_that_decide_about_shapes(self):
        node = helper.make_node("Reshape", ["x", "shape"], ["y"])
        for shape in ([3, -1], [6], [1, 2, 3]):
            np.testing.assert_array_equal(kgen_onnx.run_node(node, [X, np.array(shape)])[0], X.reshape(shape))

    def test_open_sizes(self):
        ready = kgen_onnx.prepare(model_of([helper.make_node("Neg", ["x"], ["y"])], [("x", F32, ["n", 3])], [("y", F32, ["n", 3])]))
        for rows in (1, 2, 1):
            np.testing.assert_array_equal(ready.run([X[:rows].copy()]).y, -X[:rows])
        np.testing.assert_array_equal(ready.run({"x": X}).y, -X)
        np.testing.assert_array_equal(ready.run(X[:, ::-1][:, ::-1].T.copy().T).y, -X)  # copied: its rows are not one after the other

    def test_initializers_are_no_inputs(self):
        two = numpy_helper.from_array(np.array([2], np.float32), "two")
        model = model_of([helper.make_node("Mul", ["x", "two"], ["y"])], [("x", F32, [2, 3]), ("two", F32, [1])], [("y", F32, [2, 3])], [two])
        np.testing.assert_array_equal(kgen_onnx.run_model(model, [X]).y, X * 2)

    def test_names_that_c_does_not_have(self):
        model = model_of([helper.make_node("Sub", ["a/b:0", "1"], ["int"])], [("a/b:0", F32, [2, 3]), ("1", F32, [2, 3])], [("int", F32, [2, 3])])
        np.testing.assert_array_equal(kgen_onnx.run_model(model, [X, X / 2])[0], X / 2)

    def test_bfloat16(self):
        model = model_of([helper.make_node("Add", ["x", "x"], ["y"])], [("x", BF16, [3])], [("y", BF16, [3])])
        for x in (np.array([1, np.nan, 1 + 3 / 512], np.float32), np.array([0x3F80, 0x7FC0, 0x3F81], np.uint16)):
            y = kgen_onnx.run_model(model, [x])[0].view(np.uint16)
            self.assertEqual((y[0], y[2]), (0x4000, 0x4001))
            self.assertGreater(y[1] & 0x7FFF, 0x7F80)

    def test_what_is_compiled_is_kept(self):
        model = model_of([helper.make_node("Exp", ["x"], ["y"])], [("x", F32, [2, 3])], [("y", F32, [2, 3])])
        kgen_onnx.prepare(model)
        kept = {path.name: path.stat().st_mtime_ns for path in WORK.iterdir()}
        os.environ["CC"], before = "false", os.environ.get("CC")
        try:
            np.testing.assert_allclose(kgen_onnx.run_model(model, [X]).y, np.exp(X), rtol=1e-6)
            with self.assertRaises(kgen_onnx.Refused):
                kgen_onnx.run_node(helper.make_node("Tan", ["x"], ["y"]), [X])
        finally:
            os.environ.pop("CC")
            if before:
                os.environ["CC"] = before
        self.assertEqual({path.name: path.stat().st_mtime_ns for path in WORK.iterdir()}, kept)

    def test_what_is_refused(self):
        with self.assertRaisesRegex(kgen_onnx.Refused, "NonZero .* how many elements its result has"):
            kgen_onnx.run_model(model_of([helper.make_node("NonZero", ["n"], ["y"]), helper.make_node("Neg", ["x"], ["n"])][::-1],
                                         [("x", F32, ["a", 3])], [("y", I64, [2, "m"])]), [X])
        model = model_of([helper.make_node("Neg", ["x"], ["y"])], [("x", F32, [2, 3])], [("y", F32, [2, 3])])
        ready = kgen_onnx.prepare(model)
        for inputs, error in (([], "there is no array for x"), ([X, X], "expected 1 arrays, found 2"), ([X.T], r"x: expected float32\[2, 3\], found")):
            with self.assertRaisesRegex((TypeError, ValueError), error):
                ready.run(inputs)
        with self.assertRaisesRegex(ValueError, "no device 'CUDA'"):
            kgen_onnx.prepare(model, "CUDA")
        self.assertTrue(kgen_onnx.is_compatible(model))
        self.assertFalse(kgen_onnx.is_compatible(model, "CUDA"))
        self.assertFalse(kgen_onnx.is_compatible(model_of([helper.make_node("Identity", ["x"], ["y"])], [("x", TensorProto.STRING, [1])],
                                                          [("y", TensorProto.STRING, [1])])))
        with self.assertRaises(onnx.checker.ValidationError):
            kgen_onnx.prepare(onnx.ModelProto())


if __name__ == "__main__":
    shutil.rmtree(WORK, ignore_errors=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
