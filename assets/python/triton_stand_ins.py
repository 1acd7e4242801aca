"""What a user's Triton file may name at its top besides Triton, where it is only compiled: PyTorch, and a GPU's driver.

Kernels need neither. The host side does, but it does not run here, so an object that lets itself be imported, called,
used as a decorator and inherited from is enough.

    import torch                          a module of stand-ins
    @torch.compile, @libentry()           a stand-in that is called with a function returns the function
    class Attention(torch.autograd.Function)
    triton.runtime.driver.active          says: CUDA, sm_80, no device
"""

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import types

from triton_types import torch_name

REPLACED = ("torch", "torchvision", "torchaudio")
# Packages that only the host side of a file uses; those that are installed are imported as they are.
HOST_SIDE = ("cuda", "cupy", "einops", "flash_attn", "matplotlib", "numpy", "packaging", "pandas", "psutil",
             "pytest", "scipy", "sqlalchemy", "tabulate", "tqdm", "transformers", "unsloth_zoo", "vllm", "xformers",
             "yaml")
OTHER_DEVICES = ("corex", "gcu", "hpu", "mlu", "mps", "musa", "npu", "ptpu", "txda", "xpu")  # torch.cuda is what is looked for
CAPABILITY = (8, 0)  # the GPU that the file finds is the one for which the simulator's PTX is made
PROPERTIES = {"multiprocessor_count": 108, "max_num_regs": 65536, "max_shared_mem": 166912, "warpSize": 32,
              "sm_clock_rate": 1410000, "mem_clock_rate": 1215000, "mem_bus_width": 5120}


class StandIn:
    """Any object of a package that is not there."""

    def __init__(self, path, why=""):
        self.__dict__["path"], self.__dict__["why"] = path, why

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = StandIn(f"{self.path}.{name}", self.why)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name, value):
        self.__dict__[name] = value

    def __call__(self, *arguments, **named):
        if len(arguments) == 1 and not named and is_definition(arguments[0]):
            return arguments[0]
        return StandIn(f"{self.path}()", self.why)

    def __mro_entries__(self, _):
        return ()

    def __getitem__(self, _):
        return self

    def __setitem__(self, _, __):
        pass

    def __bool__(self):
        return False

    def __len__(self):
        return 0

    def __iter__(self):
        return iter(())

    def __contains__(self, _):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __repr__(self):
        return self.path

    def _same(self, *_):
        return self

    __or__ = __ror__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _same
    __floordiv__ = __rfloordiv__ = __mod__ = __neg__ = __and__ = __rand__ = _same

    def _never(self, _):
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _never


def is_definition(value):
    """Something that a decorator stands above: a function, a class, a kernel."""
    return isinstance(value, (types.FunctionType, type)) or (hasattr(value, "fn") and not isinstance(value, StandIn))


class StandInModule(types.ModuleType):
    def __getattr__(self, name):
        dunder = name.startswith("__") and name.endswith("__")
        if dunder or (self.__name__ == "torch" and name in OTHER_DEVICES):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        path = f"{self.__name__}.{name}"
        if path in FACTS:
            return importlib.import_module(path)
        value = StandIn(f"{self.__name__}.{name}", f"{self.__name__.split('.')[0]} is not loaded here")
        setattr(self, name, value)
        return value


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes these packages, and all modules below them, out of stand-ins."""

    def __init__(self, packages):
        self.packages = packages

    def find_spec(self, name, path=None, target=None):
        above, _, _ = name.rpartition(".")
        if name.split(".", 1)[0] not in self.packages or (above and not hasattr(sys.modules[above], "__path__")):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        if spec.name.startswith("packaging"):  # pip has it
            try:
                return importlib.import_module(f"pip._vendor.{spec.name}")
            except ImportError:
                pass
        return StandInModule(spec.name)

    def exec_module(self, module):
        if not isinstance(module, StandInModule):
            return
        module.__path__ = []
        facts = FACTS.get(module.__name__, {})
        if module.__name__ == "unsloth_zoo.utils":  # by which Unsloth chooses between names of Triton's versions
            module.Version = importlib.import_module("packaging.version").Version
        for name, value in facts.items():
            setattr(module, name, value)


class Made:
    """An object of a class that has to be one: for isinstance, or to inherit from."""

    def __init__(self, *_, **__):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(f"{type(self).__name__}.{name}")


def class_named(name, **members):
    return type(name, (Made,), {"__module__": "torch", **members})


class Tensor(Made):
    """torch.Tensor."""


class Buffer(Tensor):
    """What a heuristic sees of a buffer."""

    def __init__(self, kind):
        self.dtype = getattr(importlib.import_module("torch"), torch_name(kind))


class NeedsNumbers(BaseException):
    """A heuristic uses the value of a floating-point argument. A heuristic may catch every Exception, but not this."""


class UnknownNumber:
    """What a heuristic sees of a floating-point argument at first: no other part of a compilation depends on its value,
    so a question has none."""

    def _unknown(self, *_):
        raise NeedsNumbers()

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = __int__ = _unknown
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _unknown
    __abs__ = __pow__ = __rpow__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __round__ = __hash__ = _unknown
    __str__ = __repr__ = __format__ = _unknown

    def __getattr__(self, name):
        raise NeedsNumbers()

    @property
    def __class__(self):
        return float


FACTS = {
    "torch": {"__version__": "2.9.0", "Tensor": Tensor, "dtype": class_named("dtype"),
              "device": class_named("device"), "Size": tuple},
    "torch._C": {"_cuda_getCurrentRawStream": lambda *_: 0},
    "torch.version": {"cuda": "13.0", "hip": None, "xpu": None, "__version__": "2.9.0"},
    "torch.cuda": {"is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0,
                   "get_device_capability": lambda *_: CAPABILITY, "get_device_name": lambda *_: "NVIDIA A100",
                   "get_device_properties": lambda *_: device_properties()},
    "torch.autograd": {"Function": class_named("Function", apply=StandIn("Function.apply"))},
    "torch.nn": {"Module": class_named("Module")},
}


def device_properties():
    """What torch.cuda.get_device_properties says: heuristics choose tiles by it."""
    found = StandIn("device properties", "no device is used here")
    found.name, (found.major, found.minor) = "NVIDIA A100", CAPABILITY
    found.multi_processor_count, found.warp_size = PROPERTIES["multiprocessor_count"], PROPERTIES["warpSize"]
    return found


def make_driver():
    from triton.backends.compiler import GPUTarget

    driver = StandIn("driver", "no driver is used here")
    target = GPUTarget("cuda", 10 * CAPABILITY[0] + CAPABILITY[1], 32)
    driver.get_current_target = lambda: target
    driver.get_current_device = lambda: 0
    driver.get_current_stream = lambda *_: 0
    driver.get_device_capability = lambda *_: CAPABILITY
    driver.utils.get_device_properties = lambda *_: PROPERTIES
    return driver


def install():
    """Before any file is executed. A second call changes nothing."""
    if any(isinstance(one, Finder) for one in sys.meta_path):
        return
    from triton.runtime import driver

    os.environ.setdefault("GEMS_VENDOR", "nvidia")  # FlagGems would ask nvidia-smi
    sys.meta_path.insert(0, Finder(REPLACED))
    sys.meta_path.append(Finder(HOST_SIDE))
    driver.set_active(make_driver())
    sys.modules.pop("torch", None)
