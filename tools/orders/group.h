// Before kernels/grouped_matmul.cu: the number of tile rows in a group as a variable of the module.
__constant__ int tile_rows_of_group;
#define GROUP_M tile_rows_of_group
