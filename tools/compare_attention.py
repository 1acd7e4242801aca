#!/usr/bin/env python3
"""How far our attention and PyTorch's FlashAttention-2 are off on the same inputs, in double precision.

    tools/compare_attention.py build/release/launch_rung [--out accuracy.json]    on a GPU, needs PyTorch

Q, K and V are N(0, 1); logits are also made large, by a factor for Q. With a causal mask and more queries than keys the
first queries see no key: their output must be zero. FlashAttention-2 takes no such mask, so ours is compared alone.
Each case is run on several inputs; errors are the means over these. The exit status is 1 where one of ours is more than
1.1 times theirs.
"""
import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

BATCH, HEADS = 2, 4
SEEDS = 8  # the largest of many errors is a matter of luck; its mean over several inputs is less so
TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


def cases():
    for (queries, keys), depth, causal, name, factor in itertools.product(
            ((1024, 1024), (333, 1009)), (64, 128), (0, 1), TYPES, (1, 30)):
        yield {"queries": queries, "keys": keys, "depth": depth, "causal": causal, "type": name, "factor": factor}
    for depth, name in itertools.product((64, 128), TYPES):
        yield {"queries": 1009, "keys": 333, "depth": depth, "causal": 1, "type": name, "factor": 1}


def write(tensor, path):
    with open(path, "wb") as file:
        file.write(tensor.contiguous().view(torch.int16).cpu().numpy().tobytes())


def inputs(case, generator):
    shapes = [(BATCH, HEADS, case["queries" if i == 0 else "keys"], case["depth"]) for i in range(3)]
    q, k, v = (torch.randn(shape, generator=generator, device="cuda") for shape in shapes)
    return [tensor.to(TYPES[case["type"]]) for tensor in (q * case["factor"], k, v)]


def exact(case, q, k, v):
    """In double precision; a row that sees nothing is zero. The last query sees the last key."""
    scores = q.double() @ k.double().transpose(-1, -2) / case["depth"] ** 0.5
    if case["causal"]:
        seen = torch.ones(case["queries"], case["keys"], dtype=torch.bool, device="cuda")
        scores = scores.masked_fill(~seen.tril(case["keys"] - case["queries"]), float("-inf"))
    return torch.nan_to_num(torch.softmax(scores, dim=-1)) @ v.double()


def flash(case, q, k, v):
    if case["causal"] and case["queries"] != case["keys"]:
        return None  # its mask there is another one
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(case["causal"]))


def error(got, expected):
    difference = (got.double() - expected).abs()
    return {"largest": difference.max().item(), "root_mean_square": difference.square().mean().sqrt().item()}


def mean(errors):
    return {name: sum(one[name] for one in errors) / len(errors) for name in errors[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launcher")
    parser.add_argument("--rung", default="auto")
    parser.add_argument("--out")
    options = parser.parse_args()
    generator = torch.Generator("cuda").manual_seed(1)
    folder = tempfile.mkdtemp()
    made, lines = [], []
    for number, case in enumerate((case for case in cases() for _ in range(SEEDS)), 1):
        q, k, v = inputs(case, generator)
        made.append((case, exact(case, q, k, v), flash(case, q, k, v)))
        files = []
        for name, tensor in zip("qkv", (q, k, v)):
            path = os.path.join(folder, f"{number}.{name}.in")
            write(tensor, path)
            files.append(f"{name}=@{path}")
        lines.append(f"{options.rung} batch={BATCH} heads={HEADS} kv_heads={HEADS} queries={case['queries']} "
                     f"keys={case['keys']} HEAD_DIM={case['depth']} CAUSAL={case['causal']} "
                     f"DTYPE={list(TYPES).index(case['type'])} {' '.join(files)}")
    points = os.path.join(folder, "points.txt")
    with open(points, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    subprocess.run([options.launcher, "attention", points, "--out", os.path.join(folder, "runs.json"), "--keep", folder],
                   check=True)
    results, worst = [], 0.0
    for first in range(0, len(made), SEEDS):
        case, ours, theirs = made[first][0], [], []
        for number, (_, expected, reference) in enumerate(made[first:first + SEEDS], first + 1):
            with open(os.path.join(folder, f"{number}.o.bin"), "rb") as file:
                raw = torch.frombuffer(bytearray(file.read()), dtype=TYPES[case["type"]])
            ours.append(error(raw.to("cuda").reshape(expected.shape), expected))
            if reference is not None:
                theirs.append(error(reference, expected))
        result = dict(case, inputs=SEEDS, ours=mean(ours))
        if theirs:
            result["flash_attention_2"] = mean(theirs)
            result["ratio"] = {name: value / result["flash_attention_2"][name] for name, value in result["ours"].items()}
            worst = max(worst, *result["ratio"].values())
        results.append(result)
        print(json.dumps(result))
    print(f"largest ratio: {worst:.3f}")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 0 if worst <= 1.1 else 1


if __name__ == "__main__":
    sys.exit(main())
