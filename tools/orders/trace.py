#!/usr/bin/env python3
"""Traces where each CTA of a matrix product is along K at what time, and prints how the CTAs drift apart.

    tools/orders/trace.py POINTS      lines of NUMBER,type,bm,bn,bk,stages,warps,ctas_per_sm,m,n,k,group; fp16 only
    tools/orders/trace.py POINTS clusters.txt     also by cluster, with what clusters.cu printed
    tools/orders/trace.py POINTS clusters.txt --warm     after launches for a third of a second, by when the power limit
                                                         has lowered the clock

Needs a GPU and nvcc. A traced kernel is kernels/grouped_matmul.cu in which thread 0 of each CTA notes %globaltimer at
every sixteenth of K, which must have 16 k-tiles or more, and %clock64 at both ends. Times are in percent of the median
time that a CTA of the first wave takes.
"""
import statistics
import struct
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNELS = HERE.parent.parent / "kernels"
PARTS = 16  # of K
MARK = """
struct Mark { unsigned long long time[17], sm, clock[2]; };
__device__ Mark* marks;
__device__ void note(int part) {
  if (threadIdx.x != 0 || marks == nullptr) return;
  unsigned long long time;
  unsigned sm;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  marks[blockIdx.x].time[part] = time;
  marks[blockIdx.x].sm = sm;
  if (part % 16 == 0) marks[blockIdx.x].clock[part / 16] = clock64();
}
"""
PLACES = [  # what stands in the kernel, and what is noted there
    ("__device__ void multiply_tile(", MARK + "__device__ void multiply_tile("),
    ("for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {",
     "for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {\n"
     "    if (k_tile == 0 || k_tile * 16 / k_tiles != (k_tile - 1) * 16 / k_tiles) note(k_tile * 16 / k_tiles);"),
    ("  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n  const int row = first_row",
     "  note(16);\n  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n  const int row = first_row"),
]


def traced_kernel():
    text = (KERNELS / "grouped_matmul.cu").read_text()
    for place, noted in PLACES:
        if text.count(place) != 1:
            sys.exit(f"trace.py: the kernel no longer has one '{place}'")
        text = text.replace(place, noted)
    return text


def build(folder, points):
    (folder / "traced.cu").write_text(traced_kernel())
    (folder / "points").write_text("".join(",".join(point[1:]) + "\n" for point in points))
    subprocess.run([HERE / "build.sh", "points", "traced.cu"], cwd=folder, check=True)


def read_marks(path):
    """For each CTA in launch order: its 17 times in ns, its SM, and the SM's clock at the first and last of them."""
    return [(mark[:17], mark[17], mark[18:]) for mark in struct.iter_unpack("<20Q", path.read_bytes())]


def by_sm(marks, part):
    times = defaultdict(list)
    for time, sm, _ in marks:
        times[sm].append(time[part])
    return times


def report(point, marks):
    ctas = int(point[7])
    wave = ctas * len({sm for _, sm, _ in marks})
    first = marks[:wave]
    usual = statistics.median(time[PARTS] - time[0] for time, *_ in first)
    ranks = [[] for _ in range(ctas)]  # by age, on each SM
    for ends in by_sm(first, PARTS).values():
        for rank, end in enumerate(ends[:ctas]):
            ranks[rank].append(100 * (statistics.mean(ends) - end) / usual)
    print(f"{','.join(point[1:])}: {len(marks) / wave:.1f} waves, {usual / 1000:.1f} us")
    print("  ahead of the SM's mean at the end of the first wave, oldest CTA first:",
          " ".join(f"{statistics.mean(rank):+.1f}%" for rank in ranks))
    rows = []
    for begin in range(0, min(len(marks) - wave, 10 * wave) + 1, wave):
        middles = by_sm(marks[begin:begin + wave], PARTS // 2)
        apart = statistics.median(max(times) - min(times) for times in middles.values())
        spread = statistics.pstdev(statistics.mean(times) for times in middles.values())
        rows.append(f"{100 * apart / usual:.1f}/{100 * spread / usual:.1f}")
    print("  wave by wave, range on an SM / standard deviation between SMs, in percent:", " ".join(rows))


def read_clusters(path):
    """SMs of each GPC. Lines of two SMs are parts of the one that would otherwise be too small."""
    lines = [[int(sm) for sm in line.split()] for line in path.read_text().splitlines() if line.strip()]
    whole = [line for line in lines if len(line) > 8]
    rest = sorted((line for line in lines if len(line) <= 8), key=len)
    return whole + ([[sm for line in rest for sm in line]] if rest else [])


def progress_at(ctas, time):
    """Tiles that an SM has computed until then."""
    tiles = 0
    for mark in ctas:
        if mark[0] >= time:
            continue
        part = next((i for i in range(PARTS) if mark[i + 1] > time), None)
        tiles += 1 if part is None else (part + (time - mark[part]) / (mark[part + 1] - mark[part])) / PARTS
    return tiles


def report_clusters(marks, clusters):
    """How far the SMs of GPCs of 18 are at 60% of the launch, and the fastest four and other SMs of those of 16."""
    ctas = defaultdict(list)
    for time, sm, _ in marks:
        ctas[sm].append(time)
    begin, end = min(time[0] for time, *_ in marks), max(time[PARTS] for time, *_ in marks)
    at = {sm: progress_at(mine, begin + 0.6 * (end - begin)) for sm, mine in ctas.items()}
    mean = statistics.mean(at.values())
    groups = defaultdict(list)
    for gpc in clusters:
        fastest = sorted(gpc, key=lambda sm: -at[sm])
        if len(gpc) == 16:
            groups["fastest 4 of 16"] += fastest[:4]
            groups["other 12 of 16"] += fastest[4:]
        else:
            groups[f"of {len(gpc)}"] += gpc
    print(f"  after {mean:.1f} tiles per SM:", ", ".join(
        f"{name} {100 * (statistics.mean(at[sm] for sm in sms) / mean - 1):+.2f}%" for name, sms in groups.items()),
        f"(standard deviation of all SMs {100 * statistics.pstdev(at.values()) / mean:.2f}%)")


def report_clocks(marks, clusters):
    """The clock of each GPC, from the first to the last CTA of each of its SMs."""
    ends = {}
    for time, sm, clock in marks:
        first, last = ends.get(sm, ((time[0], clock[0]), (time[PARTS], clock[1])))
        ends[sm] = (min(first, (time[0], clock[0])), max(last, (time[PARTS], clock[1])))
    megahertz = {sm: 1000 * (last[1] - first[1]) / (last[0] - first[0]) for sm, (first, last) in ends.items()}
    of_gpcs = [statistics.mean(megahertz[sm] for sm in gpc) for gpc in clusters]
    print("  MHz by GPC:", " ".join(f"{clock:.1f}" for clock in of_gpcs),
          f"(standard deviation {100 * statistics.pstdev(of_gpcs) / statistics.mean(of_gpcs):.3f}%, of the SMs of one:",
          f"{100 * max(statistics.pstdev(megahertz[sm] for sm in gpc) for gpc in clusters) / of_gpcs[0]:.3f}%)")


def main():
    warm = sys.argv[3:] == ["--warm"]
    if len(sys.argv) not in (2, 3) and not warm:
        sys.exit(__doc__)
    clusters = read_clusters(Path(sys.argv[2])) if len(sys.argv) > 2 else None
    points = [line.strip().split(",") for line in Path(sys.argv[1]).read_text().splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder, points)
        subprocess.run(["./launch_points", Path(sys.argv[1]).resolve(), "--trace", *sys.argv[3:]], cwd=folder, check=True)
        for point in points:
            marks = read_marks(folder / f"trace.{point[0]}")
            report(point, marks)
            if clusters:
                report_clusters(marks, clusters)
                report_clocks(marks, clusters)


main()
