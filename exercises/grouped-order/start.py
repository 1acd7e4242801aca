# Each program writes its number into its tile of out, rows × columns. Tiles are taken in groups of `group` tile rows.
# Launch: tile_order[ceil(rows / BLOCK_M) * ceil(columns / BLOCK_N)](out, rows, columns, group, BLOCK_M=32, BLOCK_N=32, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def tile_order(out, rows, columns, group, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(columns, BLOCK_N)
    # TODO: this is row-major order. Take the tiles in groups.
    tile_m, tile_n = pid // tiles_n, pid % tiles_n
    row = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    column = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    value = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32) + pid
    tl.store(out + row * columns + column, value, mask=(row < rows) & (column < columns))
