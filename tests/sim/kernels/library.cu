// printf, assert, malloc and free.
extern "C" __global__ void formats(const char* text, int* returned) {
  int n = 0;
  int i = threadIdx.x;
  long long big = 123456789012345ll;
  signed char c = -3;
  double x = 1234.5678, tiny = 1e-300, nan = __longlong_as_double(0x7ff8000000000000ll);
  const char* none = nullptr;
  char local[6] = {'l', 'o', 'c', 'a', 'l', 0};
  n += printf("plain\n");
  n += printf("%d|%i|%u|%5d|%-5d|%05d|%+d|% d\n", i - 7, i, i - 1, 42, 42, 42, 42, 42);
  n += printf("%x|%X|%o|%#x|%#o|%08x\n", 0xbeef, 0xbeef, 8, 255, 8, 0xabc);
  n += printf("%ld|%lld|%llu|%lx|%zu|%jd|%td\n", big, -big, big, big, (size_t)77, big, big);
  n += printf("%hd|%hu|%hhd|%hhu\n", (short)-2, (unsigned short)65535, c, (unsigned char)200);
  n += printf("%f|%.2f|%10.3f|%-10.1f|%+.0f|%F\n", x, x, x, x, x, nan);
  n += printf("%e|%.3E|%g|%G|%g|%#g\n", x, x, x, tiny, 1e10, 1.0);
  n += printf("%a|%A|%.2a\n", x, 0.5, 1.0);
  n += printf("%c%c|%3c|%-3c|\n", 'o', 'k', 'a', 'b');
  n += printf("%s|%10s|%-10s|%.3s|%s|%s\n", text, text, text, text, local, none);
  n += printf("%*d|%-*d|%.*f|%*.*f\n", 6, 1, 6, 2, 3, x, 9, 2, x);
  n += printf("%%|%5%|%y|%\n");
  n += printf("%p\n", none);
  returned[i] = n;
}
extern "C" __global__ void many(int* returned) {
  returned[0] =
      printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n",
             1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
             30, 31, 32, 33, 34);
}
__device__ void say(int depth) {
  if (depth > 0) say(depth - 1);
  printf("%d ", depth);
}
extern "C" __global__ void order(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 3 != 1) printf("thread %d of %s\n", i, i % 8 ? "many" : "few");
  if (i == 40) {
    say(3);
    printf("\n");
  }
}
extern "C" __global__ void flood(int lines) {
  for (int k = 0; k < lines; ++k) printf("block %6d line %6d\n", blockIdx.x, k);
}
extern "C" __global__ void bad_string(const char* text) { printf("[%s]\n", text); }

extern "C" __global__ void asserting(const float* in, float* out) {
  assert(in[threadIdx.x] > 0);
  out[threadIdx.x] = in[threadIdx.x];
}
__device__ __noinline__ float checked(float x) {
  assert(x < 100 && "too large");
  return x * 2;
}
extern "C" __global__ void asserting_inside(const float* in, float* out) {
  out[threadIdx.x] = checked(in[threadIdx.x]) + checked(in[threadIdx.x] + 1);
}
extern "C" __global__ void trapping(int* out) {
  if (threadIdx.x == 3) __trap();
  out[threadIdx.x] = 1;
}

struct Item {
  int value;
  Item* next;
};
// Each thread builds a list, adds it up and frees it again.
extern "C" __global__ void lists(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Item* head = nullptr;
  for (int k = 0; k < i % n; ++k) {
    Item* item = new Item;
    item->value = i + k;
    item->next = head;
    head = item;
  }
  int sum = 0;
  for (Item* at = head; at != nullptr; at = at->next) sum += at->value;
  while (head != nullptr) {
    Item* next = head->next;
    delete head;
    head = next;
  }
  free(nullptr);
  out[i] = sum;
}
// One launch leaves an array behind, the next ones use it and free it.
extern "C" __global__ void leave_behind(int** where, int n) {
  int* array = static_cast<int*>(malloc(n * sizeof(int)));
  for (int k = 0; k < n; ++k) array[k] = 3 * k;
  where[threadIdx.x] = array;
}
extern "C" __global__ void read_behind(int** where, int* out, int n) {
  out[threadIdx.x] = where[threadIdx.x][(threadIdx.x * 7) % n];
}
extern "C" __global__ void free_behind(int** where) { free(where[threadIdx.x]); }
extern "C" __global__ void exhaust(unsigned long long bytes, int* given) {
  int n = 0;
  while (malloc(bytes) != nullptr) ++n;
  given[threadIdx.x] = n;
}
// 0: nothing wrong, 1: past the end, 2: before the start, 3: used after free, 4: freed twice, 5: freed inside, 6: a
// buffer freed, 7: read before it is written, 8: the result of a failed malloc
extern "C" __global__ void heap_bug(int which, int* out) {
  int* a = static_cast<int*>(malloc(which == 8 ? 100u << 20 : 10 * sizeof(int)));
  if (which != 7) a[0] = 5;
  if (which == 1) a[10] = 1;
  if (which == 2) a[-1] = 1;
  int value = a[0];
  if (which == 5)
    free(a + 1);
  else
    free(which == 6 ? out : a);
  if (which == 3) value += a[2];
  if (which == 4) free(a);
  out[0] = value;
}

// A structure with gaps, copied whole: nobody writes the gaps.
struct Gapped {
  char kind;
  double weight;
  short count;
};
__device__ __noinline__ void set(Gapped* at, int i) {
  at->kind = i;
  at->weight = i;
  at->count = 1;
}
__device__ __noinline__ double sum(const Gapped* at) { return at->kind + at->weight + at->count; }
extern "C" __global__ void gaps(double* out, int forget) {
  __shared__ Gapped shared[32];
  Gapped local[4], copies[4];
  int i = threadIdx.x;
  for (int k = 0; k < 4; ++k)
    if (k != forget) set(&local[(i + k) % 4], i);
  for (int k = 0; k < 4; ++k) copies[(i + k) % 4] = local[(i + k) % 4];
  Gapped* a = new Gapped;
  Gapped* b = new Gapped;
  *a = copies[i % 4];
  memcpy(b, a, sizeof(Gapped));
  shared[i] = *b;
  __syncthreads();
  Gapped last = shared[i ^ 1];
  out[i] = sum(&last) + sum(&copies[(i + 1) % 4]);
  delete a;
  delete b;
}
