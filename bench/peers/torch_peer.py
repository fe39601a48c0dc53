#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workloads of xp-bench in PyTorch (eager)."""

import sys

import common


class TorchLibrary(common.Library):
    name = "torch"
    ones = "torch.ones(shape, dtype=dtype, device=device)"
    add = "torch.add(g, g)"
    fetch = "x.copy_(v)"
    put_back = "v.copy_(x)"

    def __init__(self, device):
        import torch

        self.torch = torch
        self.version = torch.__version__
        self.out_of_memory = (MemoryError, torch.OutOfMemoryError)
        self.handle = torch.device(device)
        if self.handle.type == "cuda":
            if not torch.cuda.is_available():
                raise ValueError("torch finds no CUDA device")
            torch.cuda.set_device(self.handle.index or 0)
            self.device = f"cuda:{torch.cuda.current_device()}"
            self.synchronize = torch.cuda.synchronize
        elif self.handle.type == "cpu":
            self.device = "cpu"
        else:
            raise ValueError(f"torch_peer runs on cpu or cuda, not on '{device}'")

    def namespace(self):
        return {"torch": self.torch, "device": self.handle}

    def dtype(self, name):
        return getattr(self.torch, name)

    def to_device(self, values):
        return self.torch.from_numpy(values).to(self.handle, copy=True)

    def to_host(self, array):
        return array.cpu().numpy()

    def host_buffer(self, values):
        return self.torch.from_numpy(values)

    def free_bytes(self):
        if self.device == "cpu":
            return common.host_free_bytes()
        # What the allocator caches is free for arrays.
        self.torch.cuda.empty_cache()
        return self.torch.cuda.mem_get_info()[0]


if __name__ == "__main__":
    sys.exit(common.main(TorchLibrary, "cuda"))
