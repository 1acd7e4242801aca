"""Guesses a launch of a Triton kernel from its source: which parameters are pointers and to what, sizes, strides, the
tl.constexpr parameters and the grid. Everything is a text in the small language of the Sandbox's fields, where `n` is
the size that the others follow.

    guess_of(jit, constexprs, find)
    {"n": 4096, "grid": ["ceil(n_elements/BLOCK_SIZE)", "1", "1"], "constexprs": {"BLOCK_SIZE": "1024"},
     "parameters": {"x_ptr": {"kind": "pointer", "type": "f32", "shape": "n_elements", "role": "input", "fill": "normal"},
                    "n_elements": {"kind": "number", "type": "i32", "value": "n"}}}

A parameter is a pointer if it is the base of an address: tl.load(x_ptr + offsets), also through variables and through
the functions of the file that the kernel calls.
"""

import ast
import re
import textwrap

from triton_descriptors import USUAL_BLOCK, descriptors_of
from triton_types import type_behind

MEMORY = {"load": (True, False), "store": (False, True), "make_block_ptr": (False, False),
          "make_tensor_descriptor": (False, False)}
DESCRIBED = {"make_block_ptr", "make_tensor_descriptor", "_maybe_make_tensor_desc"}
PASSED_ON = {"multiple_of", "max_contiguous", "max_constancy", "broadcast_to", "expand_dims", "cast", "advance", "view",
             "reshape", "trans", "_maybe_make_tensor_desc"}
POWER_ABOVE = "2^ceil(log2({}))"
FLOATING_NAMES = re.compile(r"eps|scale|alpha|beta|^lr$|moment|decay|prob|^p$|temp|cap$|theta|inv_|slope|smooth|weight")
WHOLE_NAMES = re.compile(r"stride|size|^n_|_n$|num|count|len|dim|rows|cols|^[a-z]{1,2}$|_ctx|seed|offset|head|index")
WIDE_INDICES = re.compile(r"ids|idx|index|indices|label|target|token|slot")
NARROW_INDICES = re.compile(r"lens?$|cu_|seq|table|count|offsets?$|start")


class Pointer:
    def __init__(self):
        self.read = self.written = self.accumulated = False
        self.dimensions = {}  # stride, a tuple of names → the index that it multiplies
        self.contiguous = None  # the index without a factor
        self.shape = None  # if it is a block pointer
        self.strides = None


def called(node):
    """The last name of a call: tl.load(…) → load."""
    if isinstance(node, ast.Call):
        return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return ""


def keyword(call, name, position):
    for one in call.keywords:
        if one.arg == name:
            return one.value
    return call.args[position] if position < len(call.args) else None


def factors(node):
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return factors(node.left) + factors(node.right)
    return [stripped(node)]


def stripped(node):
    """Without [:, None], .to(…) and calls that only hand their first argument on."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif called(node) == "to" and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif called(node) in PASSED_ON and node.args:
            node = node.args[0]
        else:
            return node


class Reading:
    """One function: how its parameters are used."""

    def __init__(self, jit, find, depth=0):
        self.find, self.depth = find, depth
        self.function = ast.parse(textwrap.dedent(jit.src)).body[0]
        self.parameters = [param.name for param in jit.params]
        self.constexprs = {param.name for param in jit.params if param.is_constexpr}
        self.pointers = {}
        self.assigned, self.loaded = {}, {}
        self.bounds = {}   # index expression → the expression that bounds it
        self.sizes, self.indices, self.locks = set(), set(), set()
        self.stepped = set()  # names by which program_id or a loop is multiplied or stepped
        self.program = {}  # variable → axis
        self.read()

    def read(self):
        nodes = list(ast.walk(self.function))
        for node in nodes:
            self.note_assignment(node)
        for node in nodes:
            self.note_bounds(node)
        for node in nodes:
            if isinstance(node, ast.Call):
                self.note_call(node)
        for node in nodes:
            self.note_steps(node)

    def note_assignment(self, node):
        pairs = []
        if isinstance(node, ast.Assign):
            for target in node.targets:
                both = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                pairs += zip(target.elts, node.value.elts) if both else [(target, node.value)]
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            pairs.append((node.target, node.value))
        elif isinstance(node, ast.For):
            pairs.append((node.target, node.iter))
        for target, value in pairs:
            if not isinstance(target, ast.Name):
                continue
            self.assigned.setdefault(target.id, []).append(value)
            inner = stripped(value)
            if called(inner) == "program_id":
                axis = keyword(inner, "axis", 0)
                self.program[target.id] = axis.value if isinstance(axis, ast.Constant) else 0
            if called(inner) == "load" and inner.args:
                self.loaded[target.id] = inner.args[0]

    def leaves(self, node, seen=()):
        """The terms of a sum, variables replaced by what they were assigned; parameters stay names."""
        node = stripped(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            return self.leaves(node.left, seen) + self.leaves(node.right, seen)
        if isinstance(node, ast.IfExp):
            return self.leaves(node.body, seen)
        if isinstance(node, ast.Name) and node.id not in seen and node.id in self.assigned:
            values = self.assigned[node.id]
            indexes = all(called(stripped(value)) in ("arange", "program_id", "range", "load") for value in values)
            found = [node] if node.id in self.parameters or indexes else []
            if not indexes:
                for value in values:
                    found += self.leaves(value, (*seen, node.id))
            return found
        return [node]

    def base_of(self, address):
        """The parameter that an address is based on; None: it is not known."""
        names = [one.id for one in self.leaves(address)
                 if isinstance(one, ast.Name) and one.id in self.parameters and one.id not in self.constexprs]
        likely = [one for one in names if one in self.pointers or "ptr" in one.lower()]
        return (likely or names or [None])[0]

    def note_call(self, node):
        name = called(node)
        if name.startswith("atomic_") and node.args:
            self.note_access(node.args[0], True, True, True)
            if name in ("atomic_cas", "atomic_xchg"):
                self.locks.add(self.base_of(node.args[0]))
        elif name in MEMORY:
            address = keyword(node, "base", 0) if name.startswith("make") else keyword(node, "pointer", 0)
            object_ = node.func.value if isinstance(node.func, ast.Attribute) else None
            if isinstance(object_, ast.Name) and any(called(one) in DESCRIBED for one in self.assigned.get(object_.id, [])):
                address = object_  # desc.load([i, j])
            if address is not None:
                self.note_access(address, *MEMORY[name], call=node)
        elif isinstance(node.func, ast.Name) and self.depth < 4:
            self.note_function(node, self.find(node.func.id))

    def note_function(self, node, jit):
        if jit is None:
            return
        inner = Reading(jit, self.find, self.depth + 1)
        for position, name in enumerate(inner.parameters):
            argument = keyword(node, name, position)
            if argument is None:
                continue
            if name in inner.pointers:
                use = inner.pointers[name]
                self.note_access(argument, use.read, use.written, use.accumulated)
            if isinstance(argument, ast.Name) and name in inner.indices:
                self.indices.add(argument.id)

    def note_access(self, address, read, written, accumulated=False, call=None):
        through = stripped(address)
        if isinstance(through, ast.Name):  # a block pointer or a descriptor in a variable
            for value in self.assigned.get(through.id, []):
                if called(value) in DESCRIBED:
                    address, call = value.args[0] if value.args else keyword(value, "base", 0), value
        base = self.base_of(address)
        if base is None:
            return
        pointer = self.pointers.setdefault(base, Pointer())
        pointer.read |= read
        pointer.written |= written
        pointer.accumulated |= accumulated
        for leaf in self.leaves(address):
            self.note_leaf(pointer, base, leaf)
        if call is not None and called(call) in DESCRIBED:
            shape, strides = keyword(call, "shape", 1), keyword(call, "strides", 2)
            if isinstance(shape, (ast.Tuple, ast.List)) and isinstance(strides, (ast.Tuple, ast.List)):
                pointer.shape = [self.expanded(one) for one in shape.elts]
                pointer.strides = [ast.unparse(one) for one in strides.elts]

    def expanded(self, node):
        """A size as an expression of parameters; None: it is none."""
        if isinstance(node, ast.Name) and node.id not in self.parameters:
            values = self.assigned.get(node.id, [])
            return self.expanded(values[0]) if len(values) == 1 and not isinstance(values[0], ast.Name) else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            left, right = self.expanded(node.left), self.expanded(node.right)
            return f"{left}*{right}" if left and right else None
        return ast.unparse(node) if isinstance(node, (ast.Name, ast.Constant)) else None

    def note_leaf(self, pointer, base, leaf):
        parts = factors(leaf)
        names = tuple(part.id for part in parts if isinstance(part, ast.Name) and part.id in self.parameters)
        others = [part for part in parts if not (isinstance(part, ast.Name) and part.id in self.parameters)]
        for part in ast.walk(leaf):  # a loaded number in an address is an index
            if isinstance(part, ast.Name) and part.id in self.loaded:
                index = self.base_of(self.loaded[part.id])
                if index not in (None, base):
                    self.indices.add(index)
        if len(parts) > 1 and names and others and not any(name in self.stepped_now(leaf) for name in names):
            pointer.dimensions.setdefault(names, others[0])
        elif others and not (isinstance(leaf, ast.Name) and leaf.id == base) and not isinstance(leaf, ast.Constant):
            if isinstance(leaf, ast.Name) and leaf.id in self.parameters:
                return
            if pointer.contiguous is None or self.bound_of(leaf) is not None:
                pointer.contiguous = leaf

    def stepped_now(self, leaf):
        """pid * BLOCK: a block's first element, which is no stride."""
        if any((isinstance(part, ast.Name) and part.id in self.program) or called(part) in ("program_id", "num_programs")
               for part in factors(leaf)):
            return {part.id for part in factors(leaf) if isinstance(part, ast.Name) and part.id in self.constexprs
                    and not re.search("stride|cols|^n_", part.id.lower())}
        return set()

    def key(self, node):
        return ast.dump(stripped(node))

    def note_bounds(self, node):
        """`offsets < n` and `offsets % n`."""
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Lt, ast.LtE)):
            self.set_bound(node.left, node.comparators[0])
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Gt, ast.GtE)):
            self.set_bound(node.comparators[0], node.left)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.FloorDiv)):
            if isinstance(node.op, ast.Mod):
                self.set_bound(node, node.right)
                self.set_bound(node.left, node.right)
            self.note_size(node.left)
            self.note_size(node.right)
        elif called(node) in ("cdiv", "range", "static_range", "min", "minimum"):
            for one in node.args:
                self.note_size(one)

    def set_bound(self, index, bound):
        text = self.size_text(bound)
        if text is None or isinstance(index, ast.Constant):  # tl.assume(stride > 0)
            return
        self.note_size(bound)
        self.bounds.setdefault(self.key(index), text)
        for leaf in self.leaves(index):
            self.bounds.setdefault(self.key(leaf), text)

    def note_size(self, node):
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and one.id in self.parameters:
                self.sizes.add(one.id)

    def size_text(self, bound):
        """K - k * BLOCK_K → K."""
        bound = stripped(bound)
        if isinstance(bound, ast.Name) and bound.id in self.parameters:
            return bound.id
        if isinstance(bound, ast.BinOp) and isinstance(bound.op, (ast.Sub, ast.Add)):
            return self.size_text(bound.left)
        if isinstance(bound, ast.Name) and len(self.assigned.get(bound.id, [])) == 1:
            value = self.assigned[bound.id][0]
            return self.size_text(value) if not isinstance(value, ast.Name) or value.id != bound.id else None
        return None

    def bound_of(self, index):
        if index is None:
            return None
        found = self.bounds.get(self.key(index))
        if found is None and isinstance(stripped(index), ast.Name):
            for value in self.assigned.get(stripped(index).id, []):
                found = found or self.bounds.get(self.key(value))
                for leaf in self.leaves(value, (stripped(index).id,)):
                    found = found or self.bounds.get(self.key(leaf))
        if found is None:
            for leaf in self.leaves(index):
                found = found or self.bounds.get(self.key(leaf))
        return found

    def note_steps(self, node):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            parts = factors(node)
            if any(not isinstance(part, ast.Constant) and not self.is_parameter(part) for part in parts):
                self.stepped.update(part.id for part in parts if self.is_parameter(part))
        elif called(node) in ("range", "static_range", "cdiv"):
            for one in node.args[1:]:
                self.stepped.update(part.id for part in ast.walk(one) if self.is_parameter(part))

    def is_parameter(self, node):
        return isinstance(node, ast.Name) and node.id in self.parameters

    # ------------------------------------------------------------ grid

    def grid(self, axis):
        variables = {name for name, one in self.program.items() if one == axis}
        direct = [node for node in ast.walk(self.function) if called(node) == "program_id" and
                  getattr(keyword(node, "axis", 0), "value", 0) == axis]
        if not direct:
            return "1"
        divided = []
        for node in ast.walk(self.function):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
                parts = factors(node)
                mine = any(part in direct or (isinstance(part, ast.Name) and part.id in variables) for part in parts)
                blocks = [part.id for part in parts if isinstance(part, ast.Name) and part.id in self.constexprs
                          and not re.search("stride|cols|^n_", part.id.lower())]
                if mine and blocks:
                    return f"ceil({self.bound_of_sum_with(node) or 'n'}/{'/'.join(blocks)})"
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
                if isinstance(node.left, ast.Name) and node.left.id in variables:
                    divided.append(node.right)
        loops = {part.id for node in ast.walk(self.function) if isinstance(node, ast.For)
                 for part in ast.walk(node.iter) if isinstance(part, ast.Name)}
        blocks = {}
        for node in ast.walk(self.function):
            if called(node) == "cdiv" and len(node.args) == 2 and divided:
                size, block = self.size_text(node.args[0]), node.args[1]
                if size and isinstance(block, ast.Name) and block.id not in loops:
                    blocks[size] = f"ceil({size}/{block.id})"
        if blocks:
            return "*".join(blocks.values())
        for right in divided:
            if self.is_parameter(right):
                return right.id
        for name in variables:
            bound = self.bounds.get(ast.dump(ast.Name(name, ast.Load())))
            if bound:
                return bound
        return "n" if len(self.pointers) > 0 and axis == 0 else "1"

    def bound_of_sum_with(self, product):
        for values in self.assigned.values():
            for value in values:
                if any(node is product for node in ast.walk(value)):
                    for name, those in self.assigned.items():
                        if any(one is value for one in those):
                            found = self.bound_of(ast.Name(name, ast.Load()))
                            if found:
                                return found
                            for other, exprs in self.assigned.items():  # offsets = start + arange
                                for expr in exprs:
                                    if any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(expr)):
                                        found = found or self.bound_of(ast.Name(other, ast.Load()))
                            if found:
                                return found
        return None

    def uses(self, name):
        return any(called(node) == name for node in ast.walk(self.function))


def has_dot(reading):
    if reading.uses("dot"):
        return True
    return any(has_dot(Reading(reading.find(node.func.id), reading.find, 9)) for node in ast.walk(reading.function)
               if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and reading.find(node.func.id))


def extents_of(pointer, reading):
    """(extents, strides): texts, outermost first; the strides are the names that this pointer's address has."""
    order = {name: i for i, name in enumerate(reading.parameters)}
    found = []
    for names, index in pointer.dimensions.items():
        found.append((names, reading.bound_of(index)))
    if pointer.shape and pointer.strides:
        inner = [((stride,) if stride in order and "stride" in stride.lower() else (), extent)
                 for extent, stride in zip(pointer.shape, pointer.strides)]
        if not found:
            return inner
        found += [one for one in inner if one[0]]
    # Strides by their place among the parameters; products of sizes, the longest first.
    found.sort(key=lambda one: (-len(one[0]), order[one[0][0]]))
    # A constant in a stride's place is a size: rows * n_cols.
    if pointer.contiguous is not None or (not found and pointer.shape is None):
        found.append(((), reading.bound_of(pointer.contiguous)))
    return found


def guess_number(param, name, reading, has_default):
    low = name.lower()
    annotation = str(param.annotation_type or "")
    if annotation.startswith(("fp", "bf")):
        return {"kind": "number", "type": "f32", "value": "1e-5" if "eps" in low else "0.5"}
    if isinstance(param.default, bool) if has_default else re.match("is_|has_|use_", low):
        return {"kind": "number", "type": "bool", "value": "true"}
    used_as_size = name in reading.sizes
    floating = not used_as_size and FLOATING_NAMES.search(low) and "stride" not in low
    if floating or (not used_as_size and not WHOLE_NAMES.search(low) and name not in reading.stepped):
        return {"kind": "number", "type": "f32", "value": "1e-5" if "eps" in low else "0.5"}
    value = "n"
    if re.search(r"head|batch|group|^[zhb]$", low):
        value = "2"
    elif re.search(r"seed|offset|start|shift", low):
        value = "0"
    elif not used_as_size and "stride" not in low and not re.search(r"size|len|n_|_n$|num|count|dim|rows|cols", low):
        value = "n" if len(low) <= 2 else "1"
    return {"kind": "number", "type": "i64" if annotation == "i64" else "i32", "value": value}


def guess_constexpr(name, reading, dot):
    low = name.lower()
    if re.search("head_?dim|dmodel", low):
        return "64"
    stepping = name in reading.stepped
    in_arange = any(called(node) == "arange" and any(isinstance(part, ast.Name) and part.id == name
                                                     for part in ast.walk(node))
                    for node in ast.walk(reading.function))
    ranges = {ast.dump(node) for node in ast.walk(reading.function) if called(node) == "arange"}
    if in_arange and not stepping:
        bound = None
        for node in ast.walk(reading.function):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and any(
                    called(part) == "arange" and any(isinstance(one, ast.Name) and one.id == name
                                                     for one in ast.walk(part)) for part in ast.walk(node.value)):
                bound = bound or reading.bound_of(node.targets[0])
        return POWER_ABOVE.format(bound or "n")
    if re.search("block|tile|chunk", low) or in_arange:
        return "32" if dot or len(ranges) > 1 else "1024"
    if re.search("stride|cols|^n_|size", low) or name in reading.sizes:
        return "n"
    for pattern, value in (("eps", "1e-5"), ("group", "8"), ("stage", "1"), ("warps", "4"),
                           ("dtype|type", "tl.float32"), ("activation", "None"), ("heads", "2"), ("scale", "1.0")):
        if re.search(pattern, low):
            return value
    if re.search("^(is|has|use|do|enable|even|need|causal|fp8|with)|_?is_", low):
        return "False"
    return "n" if len(low) <= 2 else "1" if name in reading.stepped else "False"


def fill_of(pointer, kind):
    if pointer.written and not pointer.read:
        return "poison"
    if pointer.accumulated:
        return "zero"
    return "zero" if kind.startswith(("i", "u")) else "normal"


def guess_of(jit, known, find):
    """`known`: values of constexprs that defaults and configurations give. `find`: a JIT function by its name."""
    reading = Reading(jit, find)
    dot = has_dot(reading)
    parameters, strides = {}, {}
    blocks = set()  # the names of extents of descriptors' blocks
    for name, spec in descriptors_of(reading, "f16" if dot else "f32").items():
        parameters[name] = {"kind": "descriptor", "value": spec}
        blocks.update(spec.rpartition("=")[2].split(","))
    for name, pointer in reading.pointers.items():
        dimensions = extents_of(pointer, reading)
        extents = [extent or ("64" if len(dimensions) > 2 and i < len(dimensions) - 2 else "n")
                   for i, (_, extent) in enumerate(dimensions)]
        if len(extents) > 2:
            extents = [("2" if extent == "64" else extent) for extent in extents]
        for i, (names, _) in enumerate(dimensions):
            if len(names) == 1 and names[0] not in reading.sizes:
                if re.search(r"^n_|size|len|ctx|num", names[0].lower()):
                    continue
                strides.setdefault(names[0], "*".join(extents[i + 1:]) or "1")
        low = name.lower()
        kind = "f16" if dot else "f32"
        if name in reading.indices or WIDE_INDICES.search(low) or NARROW_INDICES.search(low):
            kind = "i64" if WIDE_INDICES.search(low) else "i32"
        elif "mask" in low or name in reading.locks:
            kind = "i32"
        annotation = str({param.name: param for param in jit.params}[name].annotation_type or "")
        role = "inout" if pointer.read and pointer.written else "output" if pointer.written else "input"
        parameters[name] = {"kind": "pointer", "type": type_behind(annotation) or kind,
                            "shape": ", ".join(extents) or "n", "role": role, "fill": fill_of(pointer, kind)}
    constexprs = {}
    for param in jit.params:
        name = param.name
        if name in parameters:
            continue
        if param.is_constexpr:
            if name in known:
                continue
            constexprs[name] = strides.get(name) or (USUAL_BLOCK if name in blocks else guess_constexpr(name, reading, dot))
        elif name not in known:
            parameters[name] = guess_number(param, name, reading, param.has_default)
            if name in strides:
                parameters[name].update(type="i32", value=strides[name])
    return {"n": size_of(reading, dot, parameters), "grid": [reading.grid(axis) for axis in range(3)], "constexprs": constexprs,
            "parameters": parameters}


def size_of(reading, dot, parameters):
    deepest = max([len(extents_of(one, reading)) for one in reading.pointers.values()] +
                  [one["value"].split(":")[2].count(",") + 1 for one in parameters.values()
                   if one["kind"] == "descriptor"], default=1)
    return 128 if dot else 4096 if deepest <= 1 else 256 if deepest == 2 else 32
