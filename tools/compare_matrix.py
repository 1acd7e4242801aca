#!/usr/bin/env python3
"""Matrix instructions on the simulator and on an NVIDIA GPU, compared.

    tools/compare_matrix.py PROGRAM            needs a GPU
    tools/compare_matrix.py PROGRAM --sim-only shows what the simulator gives

PROGRAM is the tilescope executable. layout_*: which element of a matrix each lane of a wmma fragment holds; PTX leaves
that open, so a difference is no error. mma_*: products of random fragments; integers and f64 must agree exactly, the
others within 2^-22 of the sum of the products' magnitudes for each product (engine/sim/isa/execute_matrix.cpp), of which
the largest share that was used is shown. The exit status is 1 if a product differs by more.
"""
import argparse
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "kernels", "matrix_units.cu")
BLOCKS = 64

# name: (type of A and B, registers of A, of B, of C, type of C, numbers in a register, k)
PRODUCTS = {
    "f16_m16n8k16": ("f16", 4, 2, 4, "f32", 2, 16), "f16_m16n8k8": ("f16", 2, 1, 4, "f32", 2, 8),
    "bf16_m16n8k16": ("bf16", 4, 2, 4, "f32", 2, 16), "bf16_m16n8k8": ("bf16", 2, 1, 4, "f32", 2, 8),
    "tf32_m16n8k8": ("f32", 4, 2, 4, "f32", 1, 8), "tf32_m16n8k4": ("f32", 2, 1, 4, "f32", 1, 4),
    "half_m16n8k16": ("f16", 4, 2, 2, "f16", 2, 16), "f64_m8n8k4": ("f64", 1, 1, 2, "f64", 1, 4),
    "s8_m16n8k32": ("u8", 4, 2, 4, "i32", 4, 32), "u8_m16n8k16": ("u8", 2, 1, 4, "i32", 4, 16),
    "s4_m16n8k64": ("u8", 4, 2, 4, "i32", 4, 64), "b1_m16n8k256": ("u8", 4, 2, 4, "i32", 4, 256),
}
FORMATS = {"f32": "f", "f64": "d", "i32": "i", "f16": "e"}


def layouts():
    shapes = ["m16n16k16", "m32n8k16", "m8n32k16"]
    for shape in shapes:
        for role in "ab":
            yield f"layout_{role}_f16_{shape}", "f16"
            yield f"layout_{role}_i8_{shape}", "i8"
        for kind in ("f32", "f16", "i32"):
            yield f"layout_c_{kind}_{shape}", kind
    for role in "abc":
        name = "f32" if role == "c" else "tf32"
        yield f"layout_{role}_{name}_m16n16k8", "f32"


def run(program, device, kernel, blocks, arguments, dumps):
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "exec", SOURCE, "--kernel", kernel, "--grid", str(blocks), "--block", "32", "--on", device]
        for argument in arguments:
            words += ["--arg", argument]
        for name in dumps:
            words += ["--dump", f"{name}={os.path.join(folder, name)}"]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
        result = {}
        for name in dumps:
            with open(os.path.join(folder, name), "rb") as file:
                result[name] = file.read()
        return result


def layout(program, device, kernel, kind):
    elements = 32 * 16
    out = run(program, device, kernel, 1, [f"buf:{kind}:{elements}:iota:in", f"buf:f32:{elements}:zero:out"], ["out"])
    return struct.unpack(f"{elements}f", out["out"])


def product(program, device, name):
    kind, a, b, c, kind_c, parts, _ = PRODUCTS[name]
    halves = 2 if kind_c == "f16" else 1
    how = "normal" if kind in ("f16", "bf16", "f32", "f64") else "uniform"
    how_c = "uniform" if kind_c == "i32" else "normal"
    arguments = [f"buf:{kind}:{BLOCKS * 32 * a * parts}:{how}:a", f"buf:{kind}:{BLOCKS * 32 * b * parts}:{how}:b",
                 f"buf:{kind_c}:{BLOCKS * 32 * c * halves}:{how_c}:c", f"buf:{kind_c}:{BLOCKS * 32 * c * halves}:zero:d"]
    found = run(program, device, "mma_" + name, BLOCKS, arguments, ["a", "b", "c", "d"])
    return found, struct.unpack(f"{BLOCKS * 32 * c * halves}{FORMATS[kind_c]}", found["d"])


def numbers_of(data, kind):
    """As floats; bf16 and tf32 included."""
    if kind == "bf16":
        return [struct.unpack("f", struct.pack("I", bits << 16))[0] for bits in struct.unpack(f"{len(data) // 2}H", data)]
    if kind == "f32":  # tf32: the upper 19 bits
        return [struct.unpack("f", struct.pack("I", bits & 0xffffe000))[0]
                for bits in struct.unpack(f"{len(data) // 4}I", data)]
    return list(struct.unpack(f"{len(data) // (2 if kind == 'f16' else 8)}{FORMATS[kind]}", data))


def magnitudes(name, found):
    """For each element of D in its order, the sum of the magnitudes of what was added up for it."""
    kind, a, b, c, kind_c, parts, k = PRODUCTS[name]
    of_a, of_b = numbers_of(found["a"], kind), numbers_of(found["b"], kind)
    of_c = struct.unpack(f"{len(found['c']) // (2 if kind_c == 'f16' else 4)}{FORMATS[kind_c]}", found["c"])
    result = [0.0] * len(of_c)
    halves = 2 if kind_c == "f16" else 1
    for block in range(BLOCKS):
        rows, columns = {}, {}
        for reg in range(a):
            for lane in range(32):
                for part in range(parts):
                    value = of_a[((block * a + reg) * 32 + lane) * parts + part]
                    rows[reg % 2 * 8 + lane // 4, reg // 2 * 4 * parts + lane % 4 * parts + part] = abs(value)
        for reg in range(b):
            for lane in range(32):
                for part in range(parts):
                    value = of_b[((block * b + reg) * 32 + lane) * parts + part]
                    columns[reg * 4 * parts + lane % 4 * parts + part, lane // 4] = abs(value)
        for reg in range(c):
            for lane in range(32):
                for half in range(halves):
                    place = ((block * c + reg) * 32 + lane) * halves + half
                    row = (reg if halves == 2 else reg // 2) * 8 + lane // 4
                    column = lane % 4 * 2 + (half if halves == 2 else reg % 2)
                    result[place] = abs(of_c[place]) + sum(rows[row, i] * columns[i, column] for i in range(k))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sim-only", action="store_true")
    arguments = parser.parse_args()
    program, bad = arguments.program, 0
    for kernel, kind in layouts():
        here = layout(program, "sim", kernel, kind)
        if arguments.sim_only:
            print(f"{kernel:32} lane 1: {[int(x) for x in here[1::32]]}")
            continue
        there = layout(program, "gpu", kernel, kind)
        if here == there:
            print(f"{kernel:32} the same")
        else:
            print(f"{kernel:32} DIFFERS")
            for lane in (0, 1, 4, 5, 16):
                print(f"    lane {lane:2}: simulator {[int(x) for x in here[lane::32]]}")
                print(f"             GPU       {[int(x) for x in there[lane::32]]}")
    for name, (_, _, _, _, kind_c, _, k) in PRODUCTS.items():
        found, here = product(program, "sim", name)
        if arguments.sim_only:
            print(f"mma_{name:28} {here[:4]}")
            continue
        _, there = product(program, "gpu", name)
        equal = sum(x == y for x, y in zip(here, there))
        text = f"mma_{name:28} {equal} of {len(here)} equal"
        if kind_c in ("i32", "f64"):
            fails = equal != len(here)
        else:
            worst = 0.0
            for x, y, size in zip(here, there, magnitudes(name, found)):
                allowed = k * size * 2.0**-22 + (abs(x) * 2.0**-10 if kind_c == "f16" else 0)
                worst = max(worst, abs(x - y) / allowed)
            fails = worst > 1
            text += f", at most {worst:.3f} of the tolerance"
        bad += fails
        print(text + ("  FAILS" if fails else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
