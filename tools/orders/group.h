// Included before kernels/grouped_matmul.cu: makes the number of tile rows per group a variable of the module.
__constant__ int tile_rows_of_group;
#define GROUP_M tile_rows_of_group
