"""Compiles Triton kernels for Tilescope: a process that answers each line of JSON with a line of JSON.

    {"do": "versions"}
    {"do": "kernels", "file": …, "text": …}                      the @triton.jit functions of a file
    {"do": "compile", "file": …, "text": …, "kernel": …,         PTX, TTIR and TTGIR of one specialization
     "arguments": [{"type": "*fp32"}, {"type": "i32", "value": 1000}, {"type": "fp32", "number": 0.5}],
     "constexprs": {"BLOCK": 1024},
     "options": {"num_warps": 4}, "target": 80}
    {"do": "assemble", "ptx": …, "target": "sm_90"}              the cubin, by the ptxas that comes with Triton

No GPU, no driver and no PyTorch is needed. The text is executed as a module of that name, so that Triton's line tables
name the file (triton_file.py).
"""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
import types

from triton_file import Module, cause_of
from triton_guess import guess_of
from triton_refusal import Refused, first_line, line_in
from triton_stand_ins import Buffer, NeedsNumbers, StandIn, UnknownNumber
from triton_types import NAMES

QUESTIONS, ANSWERS = os.fdopen(os.dup(0), encoding="utf-8"), os.dup(1)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # a file that reads its input must not take the questions
os.dup2(2, 1)  # what a file prints must not be mixed with the answers
sys.stdout = sys.stderr

OLDEST = (3, 3)  # of Triton, whose ASTSource takes attributes as they are given here
ELEMENT = "|".join(NAMES)
TYPE_FORM = re.compile(rf"^(?:\*?(?:{ELEMENT})|tensordesc<(?:{ELEMENT})\[\d+(?:, \d+)*\]>)$")
FIRST_FP8E4NV = 89  # the capability from which on Triton has this type; the simulator runs its PTX
HINTS = {  # how to mend what Triton's compiler refuses, by the beginning of its sentence
    "type fp8e4nv not supported in this architecture": f"from sm_{FIRST_FP8E4NV} on it is: --target sm_{FIRST_FP8E4NV}",
    "arange's arguments must be of type tl.constexpr": "annotate the parameter as tl.constexpr, and give it with -D",
    "Unsupported ptr type": "this address is a number: give a buffer for its pointer",
}
FIRST_TMA = 90  # from this capability on Triton lowers descriptors to TMA, and its launcher encodes them


# ---------------------------------------------------------------- files

MODULES = {}
MOST_COMPILED = 32  # answers that are kept of each file


def module_of(request):
    key = (request["file"], request["text"])
    if key not in MODULES or not MODULES[key].is_current():
        MODULES.pop(key, None)
        while len(MODULES) >= 16:
            MODULES.pop(next(iter(MODULES)))
        MODULES[key] = Module(*key).execute()
    return MODULES[key]


# ---------------------------------------------------------------- kernels

def unwrapped(value):
    """The JIT function below autotune and heuristics, the configurations, and the heuristics; None: not a kernel."""
    from triton.runtime.jit import JITFunction

    configs, heuristics = [], {}
    if value is None or isinstance(value, (StandIn, type, types.ModuleType)):
        return None
    for _ in range(8):
        if isinstance(value, JITFunction):
            return value, configs, heuristics
        if hasattr(value, "configs") and hasattr(value, "fn"):
            configs = list(value.configs)
        elif hasattr(value, "values") and hasattr(value, "fn") and isinstance(value.values, dict):
            # lambda args: bool(args["CAUSAL"]) for CAUSAL only converts what the caller gives.
            heuristics.update({name: function for name, function in value.values.items()
                               if name not in getattr(getattr(function, "__code__", None), "co_consts", ())})
        elif not hasattr(value, "fn"):
            return None
        value = value.fn
    return None


def first_line_of(jit):
    """The line of `def`, below the decorators."""
    above = next((i for i, line in enumerate(jit.raw_src) if re.match(r"\s*def\s", line)), 0)
    return jit.starting_line_number + above


def kernels_of(module):
    """Name → (JIT function, configurations, heuristics), in the order of the file; only those that it defines."""
    found = {}
    for name, value in module.namespace.items():
        kernel = unwrapped(value) if not name.startswith("__") else None
        if kernel and kernel[0].fn.__code__.co_filename == module.file:
            found[name] = kernel
    return dict(sorted(found.items(), key=lambda item: first_line_of(item[1][0])))


def is_called_by(name, jit):
    """Whether a JIT function calls the other: then that one is a device function, as far as anyone can tell."""
    return re.search(rf"\b{re.escape(name)}\s*\(", jit.src.split(":", 1)[1]) is not None


def plain(value):
    value = getattr(value, "value", value)  # tl.constexpr
    value = getattr(value, "name", value) if type(value).__name__ == "dtype" else value
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def given_values(jit, configs, heuristics):
    """Values of constexprs that need not be given: of the first configuration, and defaults. None: a heuristic's."""
    values = {param.name: plain(param.default) for param in jit.params if param.has_default}
    values.update({name: None for name in heuristics})
    if configs:
        values.update({name: plain(value) for name, value in configs[0].kwargs.items()})
    return values


def guess(module, jit, known):
    """None where the source is too unusual: then nothing is suggested."""
    def find(name):
        kernel = unwrapped(module.namespace.get(name))
        return kernel[0] if kernel else None

    try:
        return guess_of(jit, known, find)
    except Exception:
        traceback.print_exc()
        return None


def describe(module, name, kernel, others):
    jit, configs, heuristics = kernel
    parameters = []
    for param in jit.params:
        entry = {"name": param.name, "constexpr": param.is_constexpr, "annotation": param.annotation}
        if param.has_default:
            entry["default"] = plain(param.default)
        parameters.append(entry)
    suggestion = guess(module, jit, given_values(jit, configs, heuristics))
    has_pointers = suggestion is None or any(one["kind"] != "number" for one in suggestion["parameters"].values())
    return {
        "name": name,
        "line": first_line_of(jit),
        "parameters": parameters,
        "configs": [{"constexprs": {key: plain(value) for key, value in config.kwargs.items()},
                     "num_warps": config.num_warps, "num_stages": config.num_stages} for config in configs],
        "heuristics": sorted(heuristics),
        "guess": suggestion,
        "is_device_function": not has_pointers or any(is_called_by(name, other[0]) for key, other in others.items() if key != name),
    }


def answer_kernels(request):
    module = module_of(request)
    kernels = kernels_of(module)
    return {"kernels": [describe(module, name, kernel, kernels) for name, kernel in kernels.items()],
            "skipped": [{"line": one.line, "why": one.why} for one in module.causes()],
            "imported": sorted(module.imported)}


# ---------------------------------------------------------------- compilation

def specialized(param, argument):
    """Type, constant or None, and attributes of an argument: the rules by which Triton's JIT specializes a call.
    Pointers are aligned to 16 bytes unless the caller says otherwise; a whole number 1 becomes a constant."""
    kind, value = argument["type"], argument.get("value")
    if kind == "none":
        return "constexpr", None, []
    if not TYPE_FORM.match(kind):
        raise Refused("argument", f"'{param.name}' cannot have the type {kind}")
    if kind.startswith("tensordesc"):
        return kind, None, []
    aligned = [["tt.divisibility", 16]]
    if kind.startswith("*"):
        return kind, None, aligned if argument.get("aligned", True) else []
    declared = param.annotation_type
    if declared and not declared.startswith("*"):
        kind = declared
    if kind.startswith(("fp", "bf")) or kind in ("u1", "i1") or value is None or param.do_not_specialize:
        return kind, None, []
    if value == 1:
        return "constexpr", 1, []
    divisible = value % 16 == 0 and not param.do_not_specialize_on_alignment
    return kind, None, aligned if divisible else []


def seen_by_heuristic(argument):
    kind = argument["type"]
    if kind == "none":
        return None
    if kind.startswith("*"):
        return Buffer(kind[1:])
    if kind.startswith("tensordesc"):
        return Buffer(re.match(r"tensordesc<(\w+)", kind)[1])
    if kind in ("i1", "u1"):
        return bool(argument.get("value"))
    return argument.get("number", UnknownNumber()) if kind.startswith(("fp", "bf")) else argument.get("value")


def bind(jit, arguments, constexprs, heuristics, options):
    """Signature, constants and attributes as ASTSource takes them, and which arguments the kernel keeps. Heuristics may
    also choose options."""
    wanted = [param for param in jit.params if not param.is_constexpr]
    # A parameter without tl.constexpr may be given as one: autotune and heuristics set any parameter by name.
    taken = [param for param in wanted if param.name not in constexprs]
    if len(arguments) != len(taken):
        names = ", ".join(param.name for param in taken)
        raise Refused("arguments", f"{jit.__name__} takes {len(taken)} arguments ({names}), not {len(arguments)}",
                      first_line_of(jit))
    names = {param.name for param in jit.params}
    for name in constexprs:
        if name not in names:
            raise Refused("constexpr", f"{jit.__name__} has no parameter {name}", first_line_of(jit))
    signature, constants, attributes, kept, values = {}, {}, {}, [], {}
    given = iter(arguments)
    position = -1
    for number, param in enumerate(jit.params):
        if param.is_constexpr or param.name in constexprs:
            signature[param.name] = "constexpr"
            continue
        argument = next(given)
        position += 1
        values[param.name] = seen_by_heuristic(argument)
        kind, constant, attribute = specialized(param, argument)
        signature[param.name] = kind
        if kind == "constexpr":
            constants[(number,)] = constant
            continue
        kept.append(position)
        if attribute:
            attributes[(number,)] = attribute
    known = {**values, **constexprs}
    for name, function in heuristics.items():  # each sees what those before it computed
        if name in names and name not in constexprs:
            known[name] = heuristic(jit, name, function, known)
        elif name in ("num_warps", "num_stages") and name not in options:
            known[name] = options[name] = heuristic(jit, name, function, known)
    for number, param in enumerate(jit.params):
        if signature[param.name] != "constexpr" or (number,) in constants:
            continue
        if param.name in constexprs:
            constants[(number,)] = constant_of(constexprs[param.name])
        elif param.name in heuristics:
            constants[(number,)] = known[param.name]
        elif param.has_default:
            constants[(number,)] = param.default
        else:
            raise Refused("constexpr", f"{jit.__name__} needs a value for {param.name}: it is a tl.constexpr",
                          first_line_of(jit))
    return signature, constants, attributes, kept


def constant_of(value):
    """The type that "tl.float16" names; every other value as it is."""
    if isinstance(value, str) and value.startswith("tl."):
        import triton.language as tl

        return getattr(tl, value[3:], value)
    return value


def heuristic(jit, name, function, values):
    try:
        return plain(function(values))
    except Exception as error:
        raise Refused("constexpr", f"the heuristic for {name} raised {type(error).__name__}: {first_line(error)}",
                      first_line_of(jit), f"give {name} a value") from None


def stages_of(source, target, options):
    """The source as a module, and Triton's own stages for it: those of triton.compile, without its cache."""
    from triton._C.libtriton import ir
    from triton.compiler.compiler import make_backend

    backend = make_backend(target)
    parsed = backend.parse_options({**options, **source.parse_options()})
    metadata = {"target": target, **parsed.__dict__}
    stages = {}
    backend.add_stages(stages, parsed, source.language)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(target, parsed, backend.get_codegen_implementation(parsed), backend.get_module_map(),
                            context)
    return module, metadata, stages, context


class Diagnostics:
    """What MLIR writes to standard error while it compiles: the line and the sentence of errors that have neither."""

    def __init__(self):
        self.file = tempfile.TemporaryFile()
        self.previous = os.dup(2)
        os.dup2(self.file.fileno(), 2)

    def read(self):
        self.file.seek(0)
        return self.file.read().decode(errors="replace")

    def close(self):
        os.dup2(self.previous, 2)
        os.close(self.previous)
        self.file.close()


def hint_of(message):
    for form, hint in HINTS.items():
        if message.startswith(form):
            return hint
    return ""


def compile_error(module, jit, error, diagnostics=""):
    """The sentence of an error of Triton's compiler, at its line of the file."""
    from triton.compiler.errors import CompilationError

    while error.__cause__ is not None and isinstance(error.__cause__, CompilationError):
        error = error.__cause__
    line = line_in(module.file, error)
    message = first_line(error)
    if isinstance(error, CompilationError):
        node = getattr(error, "node", None)
        line = (getattr(node, "lineno", 0) + first_line_of(jit) - 1) if node is not None else first_line_of(jit)
        message = str(getattr(error, "error_message", None) or "").strip()
        cause = error.__cause__
        if not message and cause is not None:
            message = f"{first_line(cause)}"
        lines = [one for one in (message or str(error)).splitlines() if not re.match(r"\s*(at \d+:\d+:|\^)", one)]
        message = lines[-1].strip() if lines else type(error).__name__
    message = re.sub(r"^\w+Error\(['\"](.*)['\"]\)$", r"\1", message)
    if re.match(r"\((?:triton\.language\.\w+(?:, )?)+\)$", message):  # a key that libdevice's tables do not have
        message = f"there is no such function for the types {message.replace('triton.language.', 'tl.')}"
    missing = re.match(r"(?:name )?'?(\w+)'? is not defined", message)
    unusable = re.match(r"Cannot access global variable (\w+)", message)
    value = module.namespace.get(unusable.group(1)) if unusable else None
    if isinstance(value, StandIn):
        message = f"the kernel uses {unusable.group(1)}, which is not there: {value.why}"
    cause = cause_of(missing.group(1), module.skipped) if missing else None
    if cause and missing.group(1) not in module.namespace:
        message += f" (line {cause.line} of the file raised {cause.why})"
    if not line:
        place = re.search(r"^(?:loc\()?\"?" + re.escape(module.file) + r"\"?:(\d+):\d+\)?: error: (.*)$", diagnostics, re.M)
        line, message = (int(place[1]), place[2]) if place else (0, message)
    failed = re.search(r"Assertion `(.*?)' failed|Pipeline failed while executing \[`(\w+)`", diagnostics)
    if failed and not isinstance(error, CompilationError):
        message = f"Triton's compiler fails by itself: {failed[1] or failed[2]}"
    return Refused("compile", message, line, hint_of(message))


def answer_compile(request):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    module = module_of(request)
    kernels = kernels_of(module)
    name = request["kernel"]
    if name not in kernels:
        raise module.why_missing(name) or Refused("name", f"the file has no kernel '{name}'; it has {', '.join(kernels) or 'none'}")
    jit, configs, heuristics = kernels[name]
    constexprs, options = dict(request["constexprs"]), dict(request["options"])
    if configs:  # what is not given comes from the first configuration
        constexprs = {**{key: plain(value) for key, value in configs[0].kwargs.items()}, **constexprs}
        options = {"num_warps": configs[0].num_warps, "num_stages": configs[0].num_stages, **options}
    try:
        signature, constants, attributes, kept = bind(jit, request["arguments"], constexprs, heuristics, options)
    except NeedsNumbers:
        return {"needs_numbers": True}
    if request["target"] >= FIRST_TMA and any(kind.startswith("tensordesc") for kind in signature.values()):
        raise Refused("compile", f"from sm_{FIRST_TMA} on a descriptor that {name} is given is one of TMA, which is not "
                      "available here", first_line_of(jit), "leave --target out")
    # Most numbers compile to the same code: Triton tells apart 1, multiples of 16, and all others.
    specialization = repr((name, signature, constants, attributes, sorted(options.items()), request["target"]))
    if specialization in module.compiled:
        return module.compiled[specialization]
    source = ASTSource(fn=jit, signature=signature, constexprs=constants, attrs=attributes)
    target = GPUTarget("cuda", request["target"], 32)
    os.write(2, f"it was compiling {name}\n".encode())
    diagnostics = Diagnostics()
    try:
        stage, metadata, stages, context = stages_of(source, target, options)
        texts = {}
        for extension, lower in stages.items():
            if extension == "cubin":
                continue
            stage = lower(stage, metadata)
            if extension != "llir":
                texts[extension] = str(stage)
    except Exception as error:
        refusal = compile_error(module, jit, error, diagnostics.read())
        words = [key for key, value in constexprs.items() if isinstance(value, str) and not value.startswith("tl.")]
        if words and "'str' object" in refusal.message:
            refusal.hint = f"{words[0]} is the text '{constexprs[words[0]]}'"
        raise refusal from None
    finally:
        diagnostics.close()
    threads = re.search(r"\.reqntid\s+(\d+)", texts["ptx"])
    while len(module.compiled) >= MOST_COMPILED:
        module.compiled.pop(next(iter(module.compiled)))
    module.compiled[specialization] = {
        "entry": metadata["name"], **texts, "kept": kept,
        "shared": metadata.get("shared", 0),
        "threads": int(threads.group(1)) if threads else 32 * metadata["num_warps"],
        "scratch": [metadata.get("global_scratch_size", 0), metadata.get("global_scratch_align", 1)],
        "constexprs": {jit.params[index[0]].name: plain(value) for index, value in constants.items()
                       if jit.params[index[0]].is_constexpr},
        "num_warps": metadata["num_warps"], "num_stages": metadata["num_stages"],
        **({"imported": sorted(module.imported)} if module.imported else {}),
        **({"by_value": True} if heuristics else {}),  # a heuristic may tell apart what Triton does not
        "hidden": sum(1 for key in ("global_scratch_size", "profile_scratch_size") if key in metadata),
    }
    return module.compiled[specialization]


def ptxas_path(target):
    """The assembler that comes with Triton. Since 3.6 there is a newer one for sm_100 and up."""
    from triton import knobs

    is_newer = int(re.search(r"\d+", target)[0]) >= 100 and hasattr(knobs.nvidia, "ptxas_blackwell")
    return (knobs.nvidia.ptxas_blackwell if is_newer else knobs.nvidia.ptxas).path


def answer_assemble(request):
    """The cubin of a PTX for a GPU, and what ptxas says: registers, spills."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = os.path.join(folder, "kernel.ptx"), os.path.join(folder, "kernel.cubin")
        with open(source, "w", encoding="utf-8") as file:
            file.write(request["ptx"])
        done = subprocess.run([ptxas_path(request["target"]), "-lineinfo", "-v", f"--gpu-name={request['target']}", source, "-o", cubin],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Refused("assemble", next((line for line in done.stderr.splitlines() if re.search("error|fatal", line)),
                                           f"ptxas ended with status {done.returncode}"))
        with open(cubin, "rb") as file:
            log = [line for line in done.stderr.splitlines(True) if "Compile time" not in line]
            return {"cubin": base64.b64encode(file.read()).decode(), "log": "".join(log)}


def answer_versions(_):
    import triton

    version = tuple(int(part) for part in re.findall(r"\d+", triton.__version__)[:2])
    if version < OLDEST:
        raise Refused("import", f"Triton {triton.__version__} is too old: {'.'.join(map(str, OLDEST))} or later is needed")
    return {"python": ".".join(map(str, sys.version_info[:3])), "triton": triton.__version__,
            "executable": sys.executable}


ACTIONS = {"versions": answer_versions, "kernels": answer_kernels, "compile": answer_compile,
           "assemble": answer_assemble}


def respond(line):
    try:
        request = json.loads(line)
        return ACTIONS[request["do"]](request)
    except Refused as refusal:
        return {"error": {"kind": refusal.kind, "message": refusal.message, "line": refusal.line,
                          "hint": refusal.hint}}
    except ImportError as error:
        return {"error": {"kind": "import", "message": first_line(error), "line": 0, "hint": ""}}
    except Exception as error:
        traceback.print_exc()
        return {"error": {"kind": "failed", "message": f"{type(error).__name__}: {first_line(error)}", "line": 0,
                          "hint": ""}}


def main():
    for line in QUESTIONS:
        os.write(ANSWERS, (json.dumps(respond(line)) + "\n").encode())


if __name__ == "__main__":
    main()
