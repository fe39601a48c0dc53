#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workloads of xp-bench in NumPy."""

import sys

import common
import numpy as np


class NumpyLibrary(common.Library):
    name = "numpy"
    version = np.__version__
    ones = "np.ones(shape, dtype=dtype)"
    add = "np.add(g, g)"
    fetch = "x[...] = v"
    put_back = "v[...] = x"

    def __init__(self, device):
        if device != "cpu":
            raise ValueError(f"numpy has no device '{device}', only cpu")

    def namespace(self):
        return {"np": np}

    def dtype(self, name):
        return np.dtype(name)

    def to_device(self, values):
        return values.copy()

    def to_host(self, array):
        return array

    def free_bytes(self):
        return common.host_free_bytes()


if __name__ == "__main__":
    sys.exit(common.main(NumpyLibrary, "cpu"))
