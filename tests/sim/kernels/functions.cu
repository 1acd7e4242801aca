// Device functions that stay functions: recursion, calls through pointers, virtual functions.
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ bool is_odd(int n);
__device__ bool is_even(int n) { return n == 0 ? true : is_odd(n - 1); }
__device__ bool is_odd(int n) { return n == 0 ? false : is_even(n - 1); }

// One thread in three takes part, each with another depth.
extern "C" __global__ void recursive(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int result = -1;
  if (i % 3 == 0)
    result = fib(i % 13);
  else if (i % 3 == 1)
    result = ackermann(i % 3, i % 5) * 2 + is_even(i % 17);
  for (int k = 0; k < i % 4; ++k) result += fib(k + 2);
  out[i] = result;
}

// Long enough that the simulator asks itself whether the kernel will end.
extern "C" __global__ void lasting(int* out, int n) { out[threadIdx.x] = fib(n); }

__device__ void quicksort(int* a, int low, int high) {
  int i = low, j = high, pivot = a[(low + high) / 2];
  while (i <= j) {
    while (a[i] < pivot) ++i;
    while (a[j] > pivot) --j;
    if (i <= j) {
      int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  if (low < j) quicksort(a, low, j);
  if (i < high) quicksort(a, i, high);
}
// Each thread sorts a part of its own, of n elements.
extern "C" __global__ void sorting(int* a, int n) { quicksort(a + threadIdx.x * n, 0, n - 1); }

// A local array in every frame, whose address goes down.
__device__ int collect(const int* above, int depth) {
  int own[8];
  for (int k = 0; k < 8; ++k) own[k] = above[(k + depth) % 8] + depth;
  if (depth == 0) return own[3];
  int left = collect(own, depth - 1);
  own[depth % 8] += left;
  return left + collect(own, depth - 1) + own[1];
}
extern "C" __global__ void frames(int* out) {
  int seed[8];
  for (int k = 0; k < 8; ++k) seed[k] = threadIdx.x * k;
  out[threadIdx.x] = collect(seed, threadIdx.x % 6);
}

struct Node {
  int value, left, right;
};
__device__ int sum_tree(const Node* nodes, int at) {
  if (at < 0) return 0;
  return nodes[at].value + sum_tree(nodes, nodes[at].left) + sum_tree(nodes, nodes[at].right);
}
extern "C" __global__ void trees(const Node* nodes, int* out) { out[threadIdx.x] = sum_tree(nodes, threadIdx.x); }

typedef float (*Operation)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float subtract(float a, float b) { return a - b; }
__device__ float multiply(float a, float b) { return a * b; }
__constant__ Operation constant_table[3] = {add, subtract, multiply};
__device__ Operation device_table[3] = {multiply, add, subtract};
template <class F>
__device__ __noinline__ float apply(F function, float a, float b) {
  return function(a, b) + function(b, a);
}
struct Scale {
  float by;
  __device__ float operator()(float a, float b) const { return by * a - b; }
};
extern "C" __global__ void pointers(const float* in, float* out) {
  int i = threadIdx.x;
  Operation chosen = i % 2 ? constant_table[i % 3] : device_table[i % 3];
  float a = in[i], b = i + 1.0f;
  float result = chosen(a, b);
  if (i % 5 == 0) result += apply(chosen, a, b);
  out[i] = result + apply(Scale{2.0f}, a, b) + constant_table[(i + 1) % 3](result, a);
}
// A pointer that one launch stores and the next one calls.
extern "C" __global__ void choose(Operation* where, int which) { *where = which ? multiply : subtract; }
extern "C" __global__ void use(const Operation* where, float* out) { out[threadIdx.x] = (*where)(threadIdx.x, 3.0f); }

struct Shape {
  float width, height;
  __device__ Shape(float w, float h) : width(w), height(h) {}
  __device__ virtual float area() const = 0;
  __device__ virtual float grown(float by) const { return area() * by; }
};
struct Rectangle : Shape {
  __device__ Rectangle(float w, float h) : Shape(w, h) {}
  __device__ float area() const override { return width * height; }
};
struct Triangle : Shape {
  __device__ Triangle(float w, float h) : Shape(w, h) {}
  __device__ float area() const override { return 0.5f * width * height; }
  __device__ float grown(float by) const override { return area() * by * by; }
};
extern "C" __global__ void virtuals(float* out) {
  float i = threadIdx.x;
  Rectangle rectangle(i, 2);
  Triangle triangle(i, 3);
  const Shape* shape = threadIdx.x % 3 ? static_cast<const Shape*>(&rectangle) : &triangle;
  out[threadIdx.x] = shape->grown(4.0f) + shape->area();
}

struct Record {
  int count;
  double weight;
  char tag[20];
};
__device__ Record grow(Record record, int by) {
  if (by == 0) return record;
  record.count += by;
  record.weight *= 1.5;
  record.tag[by % 20] = static_cast<char>(by);
  return grow(record, by - 1);
}
extern "C" __global__ void records(double* out) {
  Record record;
  record.count = threadIdx.x;
  record.weight = 1.0;
  for (int k = 0; k < 20; k += 2) record.tag[k] = 0;  // the others only where grow comes to them
  Record grown = grow(record, threadIdx.x % 7);
  out[threadIdx.x] = grown.count + grown.weight + grown.tag[2] + grown.tag[6];
}

__device__ int endless(int n) {
  if (n < 0) return 0;
  int below = endless(n + 1);
  return below * below + n;
}
extern "C" __global__ void overflowing(int* out) {
  if (threadIdx.x == 5) out[0] = endless(threadIdx.x);
}
extern "C" __global__ void wrong_pointer(const unsigned long long* address, float* out) {
  Operation function = reinterpret_cast<Operation>(address[threadIdx.x]);
  out[threadIdx.x] = function(1, 2);
}
extern "C" __global__ void wrong_type(float* out) {
  int (*function)(int) = reinterpret_cast<int (*)(int)>(device_table[threadIdx.x % 3]);
  out[threadIdx.x] = function(1);
}

// A barrier and a shuffle inside of functions that are called through pointers.
typedef int (*Exchange)(int, int*);
__device__ int by_shuffle(int x, int*) { return __shfl_xor_sync(0xffffffff, x, 1); }
__device__ int by_barrier(int x, int* scratch) {
  scratch[threadIdx.x] = x;
  __syncthreads();
  return scratch[threadIdx.x ^ 33];
}
__device__ Exchange exchanges[2] = {by_shuffle, by_barrier};
extern "C" __global__ void exchanging(int* out) {
  __shared__ int scratch[64];
  int first = exchanges[0](threadIdx.x, scratch);
  out[threadIdx.x] = first + 1000 * exchanges[1](first, scratch);
}
