"""The element types of Triton, with their names in Tilescope and in PyTorch."""

NAMES = {
    "fp64": ("f64", "float64"), "fp32": ("f32", "float32"), "fp16": ("f16", "float16"), "bf16": ("bf16", "bfloat16"),
    "fp8e4nv": ("f8e4m3", "float8_e4m3fn"), "fp8e5": ("f8e5m2", "float8_e5m2"),
    "i64": ("i64", "int64"), "i32": ("i32", "int32"), "i16": ("i16", "int16"), "i8": ("i8", "int8"),
    "u64": ("u64", "uint64"), "u32": ("u32", "uint32"), "u16": ("u16", "uint16"), "u8": ("u8", "uint8"),
    "i1": ("bool", "bool"), "u1": ("bool", "bool"),
}


def type_behind(annotation):
    """"*fp32" → "f32"; None: it is no pointer."""
    return NAMES.get(annotation[1:], (None,))[0] if annotation.startswith("*") else None


def torch_name(kind):
    """"fp16" → "float16"."""
    return NAMES.get(kind, (None, kind))[1]
