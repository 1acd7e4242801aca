"""cuDNN through its C interface: the library that PyTorch has brought along. Its softmax; cudnn_norm.py has the rest."""

import ctypes

from cudnn_norm import Norm

NCHW, INSTANCE, ACCURATE = 0, 0, 1
FLOAT, BFLOAT16 = 0, 9


class Cudnn:
    def __init__(self, torch, epsilon):
        self.torch = torch
        self.library = ctypes.CDLL("libcudnn.so.9")
        self.handle = ctypes.c_void_p()
        self.require(self.library.cudnnCreate(ctypes.byref(self.handle)))
        self.norm = Norm(self, torch, epsilon)

    def require(self, status):
        if status != 0:
            self.library.cudnnGetErrorString.restype = ctypes.c_char_p
            raise RuntimeError("cuDNN: " + self.library.cudnnGetErrorString(status).decode())

    def operation(self, called):
        """Of its inputs and its output or outputs this makes a function that queues it; None if it is not known."""
        found = OPERATIONS.get(called)
        return found(self) if found else None

    def use_current_stream(self):
        stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
        self.require(self.library.cudnnSetStream(self.handle, stream))

    def softmax(self, x, out):
        """A function that queues out = softmax of x's rows."""
        rows, columns = x.shape
        kind = BFLOAT16 if x.dtype == self.torch.bfloat16 else FLOAT
        descriptor = ctypes.c_void_p()
        self.require(self.library.cudnnCreateTensorDescriptor(ctypes.byref(descriptor)))
        self.require(self.library.cudnnSetTensor4dDescriptor(descriptor, NCHW, kind, rows, columns, 1, 1))
        one, zero = ctypes.c_float(1), ctypes.c_float(0)

        def queue():
            self.use_current_stream()
            self.require(
                self.library.cudnnSoftmaxForward(
                    self.handle, ACCURATE, INSTANCE, ctypes.byref(one), descriptor, ctypes.c_void_p(x.data_ptr()),
                    ctypes.byref(zero), descriptor, ctypes.c_void_p(out.data_ptr())))

        return queue


OPERATIONS = {
    "softmax": lambda cudnn: cudnn.softmax,
    "layernorm": lambda cudnn: cudnn.norm.layernorm,
    "layernorm_backward": lambda cudnn: cudnn.norm.layernorm_backward,
    "rmsnorm": lambda cudnn: cudnn.norm.rmsnorm,
}
