"""Whether cuDNN takes the operations of assets/python/cudnn_norm.py as they are described there. It needs the library and
no GPU: which of its engines run an operation is asked later. Prints "ok", or why it could not be tried."""

import ctypes
import glob
import sys

sys.path.insert(0, sys.argv[1])
import cudnn_norm


class Tensor:
    """What the descriptors are made of."""

    def __init__(self, shape, dtype="float32"):
        self.shape, self.dtype = shape, dtype

    def dim(self):
        return len(self.shape)


class Torch:
    bfloat16 = "bfloat16"

    @staticmethod
    def empty(shape, device):
        return Tensor(shape)


class Library:
    def __init__(self, library):
        self.library, self.handle = library, ctypes.c_void_p()
        library.cudnnGetErrorString.restype = ctypes.c_char_p

    def require(self, status):
        if status != 0:
            raise RuntimeError(self.library.cudnnGetErrorString(status).decode())


def open_library():
    for name in ["libcudnn.so.9", *sorted(glob.glob("/usr/local/cuda*/lib64/libcudnn.so.9"))]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


library = open_library()
if library is None:
    sys.exit("there is no cuDNN here")
norm = cudnn_norm.Norm(Library(library), Torch, 1e-5)
norm.queue = lambda operation, tensors: len(tensors)  # finalised by now
for dtype in ("float32", "bfloat16"):
    matrix = lambda: Tensor((200, 504), dtype)
    weights = lambda: Tensor((504,), dtype)
    column = lambda: Tensor((200, 1))
    assert norm.layernorm(matrix(), weights(), weights(), matrix()) == 6
    assert norm.rmsnorm(matrix(), weights(), matrix()) == 4
    outputs = (matrix(), weights(), weights())
    assert norm.layernorm_backward(matrix(), matrix(), weights(), column(), column(), outputs) == 8
try:
    norm.rmsnorm(Tensor((200, 504)), Tensor((505,)), Tensor((200, 503)))
    sys.exit("shapes that cannot be were taken")
except RuntimeError:
    print("ok")
