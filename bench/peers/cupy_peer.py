#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workloads of xp-bench in CuPy."""

import sys

import common


class CupyLibrary(common.Library):
    name = "cupy"
    ones = "cp.ones(shape, dtype=dtype)"
    add = "cp.add(g, g)"
    fetch = "x.set(v)"
    put_back = "x.get(out=v)"

    def __init__(self, device):
        import cupy

        self.cp = cupy
        self.version = cupy.__version__
        kind, _, ordinal = device.partition(":")
        if kind != "cuda" or (ordinal and not ordinal.isdigit()):
            raise ValueError(f"cupy has no device '{device}', only cuda or cuda:0, cuda:1, ...")
        count = cupy.cuda.runtime.getDeviceCount()
        if int(ordinal or 0) >= count:
            raise ValueError(f"there is no device '{device}': {count} found")
        cupy.cuda.Device(int(ordinal or 0)).use()
        self.device = f"cuda:{int(ordinal or 0)}"
        self.synchronize = cupy.cuda.get_current_stream().synchronize

    def namespace(self):
        return {"cp": self.cp}

    def dtype(self, name):
        return self.cp.dtype(name)

    def to_device(self, values):
        return self.cp.asarray(values)

    def to_host(self, array):
        return self.cp.asnumpy(array)

    def free_bytes(self):
        # What the pool caches is free for arrays.
        self.cp.get_default_memory_pool().free_all_blocks()
        return self.cp.cuda.Device().mem_info[0]


if __name__ == "__main__":
    sys.exit(common.main(CupyLibrary, "cuda"))
