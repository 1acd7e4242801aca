#!/usr/bin/env python3
"""Makes the cubins of tests/compile/machine_code and the list of their memory instructions, as nvdisasm shows them.

    python3 tools/list_machine_code.py accesses.ptx

accesses.ptx is what NVRTC makes of accesses.cu with --gpu-architecture=compute_80 -lineinfo -default-device. ptxas and
nvdisasm are those of the CUDA Toolkit 13, found on PATH or named by PTXAS and NVDISASM.
"""
import os
import re
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "compile", "machine_code")
MEMORY = {"LDG", "STG", "LDS", "STS", "LDSM", "STSM", "LDGSTS", "ATOM", "ATOMG", "ATOMS", "RED", "REDG", "LD", "ST"}


def name_of(opcode):
    """Operation and width alone: LDG.E.U16.CONSTANT becomes LDG.16."""
    parts = opcode.split(".")
    base = {"REDG": "RED"}.get(parts[0], parts[0])
    if base in ("ATOM", "ATOMG", "ATOMS", "RED"):
        return base + (".CAS" if "CAS" in parts or "CAST" in parts else "")
    if base in ("LDSM", "STSM"):
        return base + ("." + parts[-1] if parts[-1] in ("2", "4") else "")
    widths = [part for part in parts[1:] if part in ("U8", "S8", "U16", "S16", "64", "128", "256")]
    return base + ("." + widths[-1].lstrip("US") if widths else "")


def rows_of(listing):
    kernel, line = "", 0
    for text in listing.splitlines():
        if match := re.match(r"\.text\.(\S+):", text):
            kernel, line = match[1], 0
        elif match := re.search(r'## File "(.*)", line (\d+)', text):
            line = int(match[2])
        elif match := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z0-9_.]+)", text):
            if match[2].split(".")[0] in MEMORY:
                yield f"{kernel} {match[1]} {name_of(match[2])} {line}"


def main():
    with open(os.path.join(FOLDER, "accesses.txt"), "w", encoding="utf-8") as out:
        for target in ("sm_80", "sm_90", "sm_100"):
            cubin = os.path.join(FOLDER, f"accesses.{target}.cubin")
            subprocess.run([os.environ.get("PTXAS", "ptxas"), f"-arch={target}", "-lineinfo", sys.argv[1], "-o", cubin],
                           check=True)
            listing = subprocess.run([os.environ.get("NVDISASM", "nvdisasm"), "-g", "-c", cubin], check=True,
                                     capture_output=True, text=True).stdout
            for row in rows_of(listing):
                print(target, row, file=out)


if __name__ == "__main__":
    main()
