# Each program writes its number into its tile of out, rows × columns. Tiles are taken in groups of `group` tile rows.
# Launch: tile_order[ceil(rows / BLOCK_M) * ceil(columns / BLOCK_N)](out, rows, columns, group, BLOCK_M=32, BLOCK_N=32, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def tile_order(out, rows, columns, group, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(rows, BLOCK_M), tl.cdiv(columns, BLOCK_N)
    first_m = pid // (group * tiles_n) * group  # first tile row of the group
    in_group = pid % (group * tiles_n)
    height = min(tiles_m - first_m, group)  # the last group may have fewer rows
    tile_m, tile_n = first_m + in_group % height, in_group // height

    row = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]  # (BLOCK_M, 1)
    column = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]  # (1, BLOCK_N)
    value = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32) + pid
    tl.store(out + row * columns + column, value, mask=(row < rows) & (column < columns))
