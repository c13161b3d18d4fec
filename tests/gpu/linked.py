"""The module of a library for graphics cards that CMake has built with it (kgen_add_library(... PYTHON)): linked.py FOLDER"""
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import pieces

x, i = np.arange(120, dtype=np.float32).reshape(6, 5, 4) / 120, np.array([5, 0, 5])
with pieces.Gpu(target="vulkan") as gpu:
    transposed, last = gpu.movement(x, i)
    print(gpu.target, gpu.device_name)
np.testing.assert_array_equal(transposed, x.transpose(2, 0, 1))
np.testing.assert_allclose(last, np.tanh(np.concatenate([x, x[i]])), rtol=1e-5)
np.testing.assert_array_equal(pieces.load().movement(x, i)[0], transposed)
