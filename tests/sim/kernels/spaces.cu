// Stores and atomics where they may not go, and the same where they may.
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int variable[4];

extern "C" __global__ void write_constant(int* out) {
  int* pointer = threadIdx.x == 3 ? const_cast<int*>(table) + 2 : out;
  *pointer = 7;  // [write]
  out[threadIdx.x] = table[threadIdx.x % 4];
}

extern "C" __global__ void write_variable(int* out) {
  int* pointer = threadIdx.x == 3 ? variable + 2 : out;
  *pointer = 7;
  out[threadIdx.x] = table[threadIdx.x % 4];
}

extern "C" __global__ void atomic_on_local(int* out, int wanted) {
  int own[8];
  for (int i = 0; i < 8; ++i) own[i] = i;
  int* place = threadIdx.x == 5 ? own + wanted : out;
  out[1 + threadIdx.x] = atomicAdd(place, 1);
  out[1 + threadIdx.x] += own[wanted ^ 1];
}

extern "C" __global__ void atomic_on_shared(int* out) {
  __shared__ int own[8];
  if (threadIdx.x < 8) own[threadIdx.x] = 0;
  __syncthreads();
  int* place = threadIdx.x == 5 ? own : out;
  out[1 + threadIdx.x] = atomicAdd(place, 1);
}
