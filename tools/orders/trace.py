#!/usr/bin/env python3
"""trace.py FOLDER: edits copies of kernels/ and tools/orders/ in FOLDER so that each CTA of a product records when it
starts, when it is at 29 points along K, when it ends (ns of %globaltimer) and on which SM it runs. Then

    FOLDER/tools/orders/build.sh POINTS.csv && OUT=. ./launch_points NUMBERED_POINTS

writes a file t<number> for each point: 32 unsigned integers per CTA, in the order of blockIdx.x. The measured constants
of engine/traffic/block_order/grid_pace.cpp are from such files."""
import pathlib
import shutil
import sys

RECORDER = """
__device__ unsigned trace[1 << 22];
__device__ void record(unsigned entry, unsigned value) {
  if (threadIdx.x == 0) trace[blockIdx.x * 32 + entry] = value;
}
__device__ unsigned now() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}
"""
START = """char shared[];
  record(0, now());
  unsigned multiprocessor;
  asm("mov.u32 %0, %smid;" : "=r"(multiprocessor));
  record(31, multiprocessor);"""
LOOP = "step < steps; ++step) {"
STEP = LOOP + """
    const int every = (steps + 28) / 29;
    if (step % every == 0) record(1 + step / every, now());"""
SAVE = """CUdeviceptr trace = 0;
    size_t trace_bytes = 0;
    check(cuModuleGetGlobal(&trace, &trace_bytes, module, "trace"), "trace");
    std::vector<char> entries(size_t{128} * rows * columns);
    check(cuMemcpyDtoH(entries.data(), trace, entries.size()), "cuMemcpyDtoH");
    std::ofstream(std::string(std::getenv("OUT")) + "/t" + std::to_string(point.number)).write(entries.data(), entries.size());
    float milliseconds = 0;"""


def edit(file, *changes):
    text = file.read_text(encoding="utf-8")
    for before, after in changes:
        if before not in text:
            sys.exit(f"{file} has no {before!r}")
        text = text.replace(before, after, 1)
    file.write_text(text, encoding="utf-8")


def main():
    root, folder = pathlib.Path(__file__).resolve().parents[2], pathlib.Path(sys.argv[1])
    for name in ("kernels", "tools/orders"):
        shutil.copytree(root / name, folder / name)
    orders = folder / "tools/orders"
    with open(orders / "group.h", "a", encoding="utf-8") as file:
        file.write(RECORDER)
    edit(folder / "kernels/grouped_matmul.cu", ("char shared[];", START), (LOOP, STEP),
         ("}\n\n// Row after", "  record(30, now());\n}\n\n// Row after"))
    edit(orders / "matmul_fp32.cu", ("char shared[];", START), (LOOP, STEP), ("    }\n}\n", "    }\n  record(30, now());\n}\n"))
    edit(orders / "launch_points.cpp", ("float milliseconds = 0;", SAVE))


main()
