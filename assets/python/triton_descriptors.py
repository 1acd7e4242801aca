"""Which parameters of a Triton kernel are tensor descriptors, and a guess of their blocks: desc.load([i, j]) with
i = pid * BLOCK_M loads blocks of BLOCK_M rows.

    descriptors_of(reading, "f16")      {"a_desc": "desc:f16:n,n:normal:block=BLOCK_M,BLOCK_K"}
"""

import ast

METHODS = {"load": 0, "store": 0, "atomic_add": 0, "atomic_min": 0, "atomic_max": 0, "atomic_and": 0, "atomic_or": 0,
           "atomic_xor": 0}
FUNCTIONS = {"load_tensor_descriptor": 1, "store_tensor_descriptor": 1}
USUAL_BLOCK = "32"


def offsets_in(call, parameters):
    """The parameter and the offsets of an access through a descriptor; None: it is none."""
    if not isinstance(call.func, ast.Attribute):
        return None
    target, name = call.func.value, call.func.attr
    if name in FUNCTIONS and call.args:
        target, position = call.args[0], FUNCTIONS[name]
    elif name in METHODS:
        position = METHODS[name]
    else:
        return None
    if not isinstance(target, ast.Name) or target.id not in parameters or len(call.args) <= position:
        return None
    offsets = call.args[position]
    return (target.id, offsets.elts) if isinstance(offsets, (ast.List, ast.Tuple)) else None


def block_of(offset, reading):
    """The tl.constexpr by which an offset is stepped."""
    names = [part.id for leaf in reading.leaves(offset) for part in ast.walk(leaf)
             if isinstance(part, ast.Name) and part.id in reading.constexprs]
    return names[-1] if names else None


def descriptors_of(reading, kind):
    blocks, written, read = {}, set(), set()
    for node in ast.walk(reading.function):
        found = offsets_in(node, reading.parameters) if isinstance(node, ast.Call) else None
        if not found:
            continue
        name, offsets = found
        known = blocks.setdefault(name, [None] * len(offsets))
        blocks[name] = [one or block_of(offset, reading) for one, offset in zip(known, offsets)]
        (read if "load" in node.func.attr else written).add(name)
    specs = {}
    for name, block in blocks.items():
        fill = "poison" if name in written - read else "normal"
        extents = ",".join(["n"] * len(block))
        specs[name] = f"desc:{kind}:{extents}:{fill}:block={','.join(one or USUAL_BLOCK for one in block)}"
    return specs
