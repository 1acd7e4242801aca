// Strings, trees, lists, searches and other things of pointers and bytes.

// Occurrences of a pattern, naive, with the pattern in shared memory.
extern "C" __global__ void find_pattern(const char* text, int n, const char* pattern, int m, int* first, int* count) {
  __shared__ char p[64];
  if (threadIdx.x < m) p[threadIdx.x] = pattern[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool match = i + m <= n;
  for (int k = 0; match && k < m; ++k)
    if (text[i + k] != p[k]) match = false;
  if (match) atomicMin(first, i);
  int found = __syncthreads_count(match);
  if (threadIdx.x == 0 && found) atomicAdd(count, found);
}

// Characters, words and lines of UTF-8 text.
extern "C" __global__ void count_text(const unsigned char* text, int n, int* counts) {
  int characters = 0, words = 0, lines = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    unsigned char c = text[i];
    if ((c & 0xC0) != 0x80) characters++;
    bool space = c == ' ' || c == '\n' || c == '\t';
    bool before = i == 0 || text[i - 1] == ' ' || text[i - 1] == '\n' || text[i - 1] == '\t';
    words += !space && before;
    lines += c == '\n';
  }
  atomicAdd(counts, characters);
  atomicAdd(counts + 1, words);
  atomicAdd(counts + 2, lines);
}

extern "C" __global__ void to_upper(char* text, int n) {
  for (char* p = text + blockIdx.x * blockDim.x + threadIdx.x; p < text + n; p += gridDim.x * blockDim.x)
    if (*p >= 'a' && *p <= 'z') *p &= ~0x20;
}

// Run-length encoding of a row by one warp: heads are found by ballot, their places by counting bits.
extern "C" __global__ void run_length(const unsigned char* in, int n, unsigned char* symbols, int* lengths, int* runs) {
  const int lane = threadIdx.x;
  int filled = 0;
  for (int base = 0; base < n; base += 32) {
    const int i = base + lane;
    const bool head = i < n && (i == 0 || in[i] != in[i - 1]);
    const unsigned heads = __ballot_sync(0xffffffffu, head);
    if (head) {
      const int place = filled + __popc(heads & ((1u << lane) - 1));
      symbols[place] = in[i];
      lengths[place] = i;  // where it begins; its end comes below
    }
    filled += __popc(heads);
  }
  __syncwarp();
  for (int base = 0; base < filled; base += 32) {
    const int r = base + lane;
    int length = 0;
    if (r < filled) length = (r + 1 < filled ? lengths[r + 1] : n) - lengths[r];
    __syncwarp();
    // Starts to the right are read before they are overwritten: one warp step at a time.
    if (r < filled) lengths[r] = length;
    __syncwarp();
  }
  if (lane == 0) *runs = filled;
}

extern "C" __global__ void binary_search(const long long* sorted, int n, const long long* wanted, int m, int* place) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= m) return;
  const long long w = wanted[t];
  const long long* first = sorted;
  int count = n;
  while (count > 0) {
    int step = count / 2;
    const long long* it = first + step;
    if (*it < w) {
      first = ++it;
      count -= step + 1;
    } else {
      count = step;
    }
  }
  place[t] = (int)(first - sorted);
}

struct Node {
  int key;
  int left, right;  // -1: none
  float payload;
};

extern "C" __global__ void tree_lookup(const Node* nodes, int root, const int* keys, int n, float* out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int at = root;
  while (at >= 0) {
    Node node = nodes[at];
    if (node.key == keys[t]) {
      out[t] = node.payload;
      return;
    }
    at = keys[t] < node.key ? node.left : node.right;
  }
  out[t] = -1.0f;
}

// Sum over a tree without recursion: an explicit stack in local memory.
extern "C" __global__ void tree_range_count(const Node* nodes, int root, const int2* ranges, int n, int* out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int stack[40], depth = 0, count = 0;
  stack[depth++] = root;
  while (depth) {
    int at = stack[--depth];
    if (at < 0) continue;
    const Node& node = nodes[at];
    if (node.key >= ranges[t].x && node.key <= ranges[t].y) ++count;
    if (node.key > ranges[t].x) stack[depth++] = node.left;
    if (node.key < ranges[t].y) stack[depth++] = node.right;
  }
  out[t] = count;
}

// Pointer jumping: how far each element of a list is from its end.
extern "C" __global__ void list_ranking(int* next, int* rank, int n) {
  extern __shared__ int s[];
  int* s_next = s;
  int* s_rank = s + n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    s_next[i] = next[i];
    s_rank[i] = next[i] == i ? 0 : 1;
  }
  __syncthreads();
  for (int hops = 1; hops < n; hops *= 2) {
    int r = 0, nx = 0;
    if (threadIdx.x < n) {
      nx = s_next[threadIdx.x];
      r = s_rank[nx];
      nx = s_next[nx];
    }
    __syncthreads();
    if (threadIdx.x < n) {
      s_rank[threadIdx.x] += r;
      s_next[threadIdx.x] = nx;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) rank[i] = s_rank[i];
}

struct ListNode {
  ListNode* next;
  int value;
};

// Links nodes by real pointers, then walks the list.
extern "C" __global__ void link_nodes(ListNode* nodes, const int* order, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  ListNode* node = &nodes[order[i]];
  node->next = i + 1 < n ? &nodes[order[i + 1]] : nullptr;
  node->value = i * i;
}
extern "C" __global__ void walk_nodes(const ListNode* nodes, const int* starts, int n, long long* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long sum = 0;
  for (const ListNode* p = nodes + starts[i]; p; p = p->next) sum = sum * 3 + p->value;
  sums[i] = sum;
}

// N queens: each thread a placement of the first two rows, the rest by backtracking with bit masks.
extern "C" __global__ void n_queens(int n, unsigned long long* solutions) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n * n) return;
  int a = t / n, b = t % n;
  if (a == b || a - b == 1 || b - a == 1) return;
  unsigned all = (1u << n) - 1;
  unsigned cols[16], left[16], right[16], open[16];
  int row = 2;
  cols[2] = 1u << a | 1u << b;
  left[2] = ((1u << a) << 2 | (1u << b) << 1) & all;
  right[2] = (1u << a) >> 2 | (1u << b) >> 1;
  open[2] = all & ~(cols[2] | left[2] | right[2]);
  unsigned count = 0;
  if (n == 2) return;
  while (row >= 2) {
    if (open[row] == 0) {
      --row;
      continue;
    }
    unsigned bit = open[row] & -open[row];
    open[row] ^= bit;
    if (row == n - 1) {
      ++count;
      continue;
    }
    cols[row + 1] = cols[row] | bit;
    left[row + 1] = (left[row] | bit) << 1 & all;
    right[row + 1] = (right[row] | bit) >> 1;
    ++row;
    open[row] = all & ~(cols[row] | left[row] | right[row]);
  }
  if (count) atomicAdd(solutions, (unsigned long long)count);
}

// Base-64 encoding, three bytes to four characters.
extern "C" __global__ void base64(const unsigned char* in, int n, char* out) {
  const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (3 * g >= n) return;
  unsigned v = in[3 * g] << 16;
  if (3 * g + 1 < n) v |= in[3 * g + 1] << 8;
  if (3 * g + 2 < n) v |= in[3 * g + 2];
  for (int k = 0; k < 4; ++k) out[4 * g + k] = 3 * g + k > n ? '=' : alphabet[v >> (18 - 6 * k) & 63];
}

// Decimal numbers to integers: a small state machine.
extern "C" __global__ void parse_numbers(const char* text, int width, int n, int* values) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  enum State { kStart, kSign, kDigits, kBad, kDone } state = kStart;
  int value = 0, sign = 1;
  for (int i = 0; i < width; ++i) {
    char c = text[t * width + i];
    switch (state) {
      case kStart:
        if (c == ' ') break;
        if (c == '-' || c == '+') {
          sign = c == '-' ? -1 : 1;
          state = kSign;
          break;
        }
        // fall through
      case kSign:
        if (c < '0' || c > '9') {
          state = kBad;
          break;
        }
        value = c - '0';
        state = kDigits;
        break;
      case kDigits:
        if (c >= '0' && c <= '9')
          value = value * 10 + (c - '0');
        else
          state = c == ' ' ? kDone : kBad;
        break;
      case kDone:
        if (c != ' ') state = kBad;
        break;
      case kBad: break;
    }
    if (state == kBad) goto fail;
  }
  if (state == kStart || state == kSign) goto fail;
  values[t] = sign * value;
  return;
fail:
  values[t] = -2147483647 - 1;
}

// A stack machine: programs of one byte an instruction, a dense switch.
extern "C" __global__ void interpreter(const unsigned char* programs, int length, const int* inputs, int n, int* out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int stack[16];
  int top = 0, a = inputs[t], steps = 0;
  stack[0] = a;
  for (int pc = 0; pc < length && steps < 200; ++steps) {
    unsigned char op = programs[t % 8 * length + pc++];
    int x = stack[top];
    switch (op & 15) {
      case 0: if (top < 15) stack[++top] = op >> 4; break;
      case 1: if (top < 15) stack[++top] = x; break;
      case 2: if (top > 0) { --top; stack[top] += x; } break;
      case 3: if (top > 0) { --top; stack[top] -= x; } break;
      case 4: if (top > 0) { --top; stack[top] *= x; } break;
      case 5: if (top > 0) { --top; stack[top] ^= x; } break;
      case 6: stack[top] = ~x; break;
      case 7: stack[top] = x << (op >> 5); break;
      case 8: stack[top] = (unsigned)x >> (op >> 5); break;
      case 9: if (top > 0) { int y = stack[top - 1]; stack[top - 1] = x; stack[top] = y; } break;
      case 10: if (x & 1) pc += op >> 6; break;
      case 11: if ((x & 7) == 3 && pc > 3) { pc -= 3; stack[top] = x + 1; } break;
      case 12: stack[top] = x % ((op >> 4) + 1); break;
      case 13: stack[top] = __popc(x); break;
      case 14: if (top > 0) --top; break;
      default: stack[top] = x + a; break;
    }
  }
  out[t] = stack[top] * 31 + top;
}
