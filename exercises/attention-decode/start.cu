// out = softmax(q · kᵗ · scale) · v for one query per head. The keys are split over `parts` blocks per head; a second
// launch merges what they found.
// Launch: attend_part<<<(parts, heads), 32>>>(q, k, v, part_max, part_sum, part_out, keys, parts, scale)
// Launch: merge_parts<<<heads, 64>>>(part_max, part_sum, part_out, out, parts)
constexpr int HEAD_DIM = 64;

__global__ void attend_part(const float* q, const float* k, const float* v, float* part_max, float* part_sum,
                            float* part_out, int keys, int parts, float scale) {
  const int part = blockIdx.x, head = blockIdx.y, lane = threadIdx.x;
  // TODO: the online softmax over the keys of this part. Store the maximum, the sum and the 64 weighted sums.
}

__global__ void merge_parts(const float* part_max, const float* part_sum, const float* part_out, float* out,
                            int parts) {
  const int head = blockIdx.x, d = threadIdx.x;
  // TODO: merge the parts of this head into out.
}
