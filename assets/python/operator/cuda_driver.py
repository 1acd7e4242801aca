"""Kernels of a PTX file, launched through the CUDA driver API: plain PyTorch is enough, no nvcc and nothing to build.

    kernels = Module("kernel.ptx")
    kernels.launch("fused", (64, 1, 1), (256, 1, 1), 0, x.device, [x, out, I32(x.numel())])

A launch goes to PyTorch's current stream and returns at once, as PyTorch's own operators do.
"""

import ctypes
import pathlib

import torch

I32, I64, F32, F64 = ctypes.c_int32, ctypes.c_int64, ctypes.c_float, ctypes.c_double
MAX_DYNAMIC_SHARED_SIZE_BYTES = 8  # of enum CUfunction_attribute
UNSUPPORTED_PTX_VERSION = 222  # of enum CUresult
SHARED_WITHOUT_ASKING = 48 * 1024


def raw(text):
    """An argument that is neither a tensor nor a number: its bytes, in hexadecimal."""
    return (ctypes.c_ubyte * (len(text) // 2)).from_buffer_copy(bytes.fromhex(text))


def library():
    if library.opened is None:
        try:
            library.opened = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise RuntimeError(f"the CUDA driver is missing: {error}") from None
        check(library.opened.cuInit(0))
    return library.opened


library.opened = None


def check(status):
    if status == 0:
        return
    if status == UNSUPPORTED_PTX_VERSION:
        raise RuntimeError("the driver is older than the CUDA release that kernel.ptx was compiled with; update it")
    text = ctypes.c_char_p()
    library.opened.cuGetErrorString(status, ctypes.byref(text))
    raise RuntimeError(f"CUDA error {status}: {(text.value or b'unknown').decode()}")


class Module:
    def __init__(self, file):
        self.ptx = pathlib.Path(__file__).with_name(file).read_bytes() + b"\0"
        self.modules, self.functions = {}, {}  # by device; by device and kernel

    def function(self, kernel, device, shared_bytes):
        """The kernel on a device. The driver compiles the PTX for that GPU at the first use, and keeps the result."""
        known = self.functions.get((device, kernel))
        if known is not None and known[1] >= shared_bytes:
            return known[0]
        driver = library()
        if device not in self.modules:
            torch.cuda.synchronize(device)  # makes the device's context the current one
            module = ctypes.c_void_p()
            check(driver.cuModuleLoadData(ctypes.byref(module), self.ptx))
            self.modules[device] = module
        function = ctypes.c_void_p()
        check(driver.cuModuleGetFunction(ctypes.byref(function), self.modules[device], kernel.encode()))
        if shared_bytes > SHARED_WITHOUT_ASKING:
            check(driver.cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes))
        self.functions[device, kernel] = (function, shared_bytes)
        return function

    def launch(self, kernel, grid, block, shared_bytes, device, arguments):
        with torch.cuda.device(device):
            function = self.function(kernel, device, shared_bytes)
            values = [
                ctypes.c_void_p(one.data_ptr()) if isinstance(one, torch.Tensor) else one for one in arguments
            ]
            addresses = (ctypes.c_void_p * len(values))(*[ctypes.addressof(one) for one in values])
            stream = ctypes.c_void_p(torch.cuda.current_stream(device).cuda_stream)
            check(library().cuLaunchKernel(function, *grid, *block, shared_bytes, stream, addresses, None))
