#!/usr/bin/env python3
"""Triton's own autotuner over configurations of kernels/matmul.py, on this machine's GPU.

    tools/triton_autotune.py --m 4096 --n 4096 --k 4096 [--bm 64,128] [--bn 128,256] [--bk 64] [--warps 4,8] [--stages 3]

Prints one JSON object: how long the first call took (every configuration is compiled and timed), which configuration
was chosen, and how long later calls take on the host: with the same sizes, which the autotuner knows, and with another
M, for which it tunes again, because M is part of its key. Both results are compared with the product in double
precision, element by element; where one is off by more than its tolerance, the exit status is 1.
"""
import argparse
import itertools
import json
import math
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "kernels"))


def numbers(text):
    return [int(one) for one in text.split(",")]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("m", 4096), ("n", 4096), ("k", 4096)):
        parser.add_argument("--" + name, type=int, default=value)
    for name, value in (("bm", "64,128,256"), ("bn", "64,128,256"), ("bk", "32,64"), ("warps", "4,8"), ("stages", "3,4")):
        parser.add_argument("--" + name, type=numbers, default=numbers(value))
    return parser.parse_args()


def configurations(triton, options):
    """Those that lab autotune calls possible: at most 128 accumulators a lane, and stages that fit into shared memory."""
    shared = triton.runtime.driver.active.utils.get_device_properties(0)["max_shared_mem"]
    for bm, bn, bk, warps, stages in itertools.product(options.bm, options.bn, options.bk, options.warps, options.stages):
        if bm * bn // (32 * warps) > 128:
            continue
        if max((bm + bn) * bk * 2 * stages, bm * bn * 2) > shared:
            continue
        yield triton.Config({"BM": bm, "BN": bn, "BK": bk, "GROUP_M": 8}, num_warps=warps, num_stages=stages)


def check(torch, a, b, c):
    """Every element of c beside the product in double, with the tolerance of the lab autotune.

    The result is rounded to 8 bits, which changes it by up to 2^-8 of itself: by 1 where it lies between 256 and 512.
    The tensor cores add up K / 16 times, and do not round to nearest, so each time a sum may lose a unit of 2^-23.
    Sums of K products of N(0, 1) stay below 6 sqrt(K).
    """
    k = a.shape[1]
    expected = a.double() @ b.double()
    errors = (c.double() - expected).abs()
    sums = 1e-6 + math.ceil(k / 16) * 6 * math.sqrt(k) * 2.0**-23
    shares = (errors / (sums + 2.0**-8 * expected.abs())).nan_to_num(nan=math.inf)
    at = divmod(int(errors.nan_to_num(nan=math.inf).argmax()), c.shape[1])
    return {
        "passed": bool((shares <= 1).all()),
        "largest_share_of_tolerance": round(float(shares.max()), 3),
        "largest_error": float(errors[at]),
        "at": list(at),
        "expected_there": float(expected[at]),
        "got_there": float(c[at]),
        "allowed_there": sums + 2.0**-8 * abs(float(expected[at])),
    }


def main():
    options = parse()
    import torch
    import triton
    from matmul import matmul_grouped

    configs = list(configurations(triton, options))
    tuned = triton.autotune(configs=configs, key=["M", "N", "K"])(matmul_grouped)

    def operands(m):
        torch.manual_seed(1)
        a = torch.randn(m, options.k, device="cuda", dtype=torch.bfloat16)
        b = torch.randn(options.k, options.n, device="cuda", dtype=torch.bfloat16)
        return a, b, torch.empty(m, options.n, device="cuda", dtype=torch.bfloat16)

    def call(a, b, c):
        m, k = a.shape
        n = b.shape[1]
        grid = lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)
        torch.cuda.synchronize()
        start = time.perf_counter()
        tuned[grid](a, b, c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1))
        torch.cuda.synchronize()
        return time.perf_counter() - start

    def chosen():
        best = tuned.best_config
        return {**best.kwargs, "num_warps": best.num_warps, "num_stages": best.num_stages}

    answer = {"triton": triton.__version__, "gpu": torch.cuda.get_device_name(), "sizes": [options.m, options.n, options.k],
              "configurations": len(configs)}
    a, b, c = operands(options.m)
    answer["first_call_s"] = round(call(a, b, c), 3)
    answer["chosen"] = chosen()
    timings = getattr(tuned, "configs_timings", None) or {}
    answer["times_ms"] = sorted(
        ({**config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages, "ms": round(ms[0] if isinstance(ms, (list, tuple)) else ms, 5)}
         for config, ms in timings.items()), key=lambda one: one["ms"])
    answer["later_calls_s"] = [round(call(a, b, c), 6) for _ in range(3)]
    answer["result"] = check(torch, a, b, c)
    other = max(16, options.m // 2)
    a, b, c = operands(other)
    answer["other_m"] = other
    answer["first_call_with_other_m_s"] = round(call(a, b, c), 3)
    answer["chosen_with_other_m"] = chosen()
    answer["result_with_other_m"] = check(torch, a, b, c)
    print(json.dumps(answer, indent=1))
    return 0 if answer["result"]["passed"] and answer["result_with_other_m"]["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
