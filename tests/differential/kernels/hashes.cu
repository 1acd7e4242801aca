// Hash functions, hash tables, random numbers.

typedef unsigned int uint;
typedef unsigned long long ull;

__device__ __forceinline__ uint rotl(uint x, int r) { return (x << r) | (x >> (32 - r)); }

__device__ uint murmur3_32(const unsigned char* key, int len, uint seed) {
  uint h = seed;
  const int nblocks = len / 4;
  for (int i = 0; i < nblocks; i++) {
    uint k = key[4 * i] | key[4 * i + 1] << 8 | key[4 * i + 2] << 16 | (uint)key[4 * i + 3] << 24;
    k *= 0xcc9e2d51;
    k = rotl(k, 15);
    k *= 0x1b873593;
    h ^= k;
    h = rotl(h, 13);
    h = h * 5 + 0xe6546b64;
  }
  const unsigned char* tail = key + nblocks * 4;
  uint k1 = 0;
  switch (len & 3) {
    case 3: k1 ^= tail[2] << 16;
    case 2: k1 ^= tail[1] << 8;
    case 1: k1 ^= tail[0];
      k1 *= 0xcc9e2d51;
      k1 = rotl(k1, 15);
      k1 *= 0x1b873593;
      h ^= k1;
  }
  h ^= len;
  h ^= h >> 16;
  h *= 0x85ebca6b;
  h ^= h >> 13;
  h *= 0xc2b2ae35;
  h ^= h >> 16;
  return h;
}

// Variable-length strings: offsets[i] … offsets[i+1].
extern "C" __global__ void murmur_strings(const unsigned char* text, const int* offsets, int n, uint seed, uint* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = murmur3_32(text + offsets[i], offsets[i + 1] - offsets[i], seed);
}

__device__ uint crc_table[256];

extern "C" __global__ void crc32_make_table() {
  uint c = threadIdx.x;
  for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
  crc_table[threadIdx.x] = c;
}

extern "C" __global__ void crc32_rows(const unsigned char* rows, int n, int length, uint* out) {
  __shared__ uint table[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) table[i] = crc_table[i];
  __syncthreads();
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  uint crc = ~0u;
  for (int i = 0; i < length; ++i) crc = table[(crc ^ rows[r * length + i]) & 0xff] ^ (crc >> 8);
  out[r] = ~crc;
}

__device__ ull mix64(ull h, ull v) {
  const ull p1 = 0x9E3779B185EBCA87ull, p2 = 0xC2B2AE3D27D4EB4Full;
  v *= p2;
  v = (v << 31) | (v >> 33);
  v *= p1;
  h ^= v;
  return ((h << 27) | (h >> 37)) * p1 + 0x85EBCA77C2B2AE63ull;
}
extern "C" __global__ void xxhash64_words(const ull* data, int n, int words, ull seed, ull* out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    ull h = seed + 0x27D4EB2F165667C5ull + 8ull * words;
    for (int w = 0; w < words; ++w) h = mix64(h, data[(ull)i * words + w]);
    h ^= h >> 33;
    h *= 0xC2B2AE3D27D4EB4Full;
    h ^= h >> 29;
    h *= 0x165667B19E3779F9ull;
    h ^= h >> 32;
    out[i] = h;
  }
}

__constant__ uint kSha[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

// SHA-256 of messages of `length` bytes.
extern "C" __global__ void sha256_rows(const unsigned char* messages, int n, int length, unsigned char* digests) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  uint h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const unsigned char* m = messages + (long)r * length;
  int blocks = (length + 9 + 63) / 64;
  for (int b = 0; b < blocks; ++b) {
    uint w[64];
    for (int i = 0; i < 16; ++i) {
      uint word = 0;
      for (int k = 0; k < 4; ++k) {
        int at = b * 64 + i * 4 + k;
        uint byte = at < length ? m[at] : at == length ? 0x80u : 0u;
        if (b == blocks - 1 && i >= 14) byte = (uint)(((ull)length * 8) >> (8 * (7 - ((i - 14) * 4 + k)))) & 255;
        word = word << 8 | byte;
      }
      w[i] = word;
    }
    for (int i = 16; i < 64; ++i) {
      uint s0 = ROTR(w[i - 15], 7) ^ ROTR(w[i - 15], 18) ^ (w[i - 15] >> 3);
      uint s1 = ROTR(w[i - 2], 17) ^ ROTR(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint a = h[0], bb = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], hh = h[7];
    for (int i = 0; i < 64; ++i) {
      uint t1 = hh + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + ((e & f) ^ (~e & g)) + kSha[i] + w[i];
      uint t2 = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + ((a & bb) ^ (a & c) ^ (bb & c));
      hh = g; g = f; f = e; e = d + t1; d = c; c = bb; bb = a; a = t1 + t2;
    }
    h[0] += a; h[1] += bb; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += hh;
  }
  for (int i = 0; i < 32; ++i) digests[r * 32 + i] = h[i / 4] >> (24 - 8 * (i % 4));
}

__device__ __constant__ unsigned char kShift[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

// MD5's compression of single 16-word blocks; the table of sines is an argument.
extern "C" __global__ void md5_blocks(const uint* words, const uint* sines, int n, uint4* out) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
  const uint a0 = a, b0 = b, c0 = c, d0 = d;
  for (int i = 0; i < 64; ++i) {
    uint f;
    int g;
    switch (i >> 4) {
      case 0: f = (b & c) | (~b & d); g = i; break;
      case 1: f = (d & b) | (~d & c); g = (5 * i + 1) & 15; break;
      case 2: f = b ^ c ^ d; g = (3 * i + 5) & 15; break;
      default: f = c ^ (b | ~d); g = (7 * i) & 15; break;
    }
    f += a + sines[i] + words[r * 16 + g];
    a = d; d = c; c = b;
    b += rotl(f, kShift[i >> 4][i & 3]);
  }
  out[r] = make_uint4(a0 + a, b0 + b, c0 + c, d0 + d);
}

// One round of a byte-oriented cipher: substitution from a table in shared memory, rows rotated, columns mixed.
__device__ unsigned char xtime(unsigned char x) { return (x << 1) ^ ((x & 0x80) ? 0x1b : 0); }
extern "C" __global__ void cipher_round(const unsigned char* state_in, const unsigned char* sbox,
                                        const unsigned char* key, unsigned char* state_out, int n, int rounds) {
  __shared__ unsigned char box[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) box[i] = sbox[i];
  __syncthreads();
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= n) return;
  unsigned char s[16], t[16];
  for (int i = 0; i < 16; ++i) s[i] = state_in[b * 16 + i] ^ key[i];
  for (int round = 1; round <= rounds; ++round) {
    for (int c = 0; c < 4; ++c)
      for (int r = 0; r < 4; ++r) t[c * 4 + r] = box[s[((c + r) & 3) * 4 + r]];
    for (int c = 0; c < 4; ++c) {
      unsigned char* q = t + c * 4;
      unsigned char all = q[0] ^ q[1] ^ q[2] ^ q[3], first = q[0];
      if (round != rounds) {
        q[0] ^= all ^ xtime(q[0] ^ q[1]);
        q[1] ^= all ^ xtime(q[1] ^ q[2]);
        q[2] ^= all ^ xtime(q[2] ^ q[3]);
        q[3] ^= all ^ xtime(q[3] ^ first);
      }
    }
    for (int i = 0; i < 16; ++i) s[i] = t[i] ^ key[(round * 16 + i) % 176];
  }
  for (int i = 0; i < 16; ++i) state_out[b * 16 + i] = s[i];
}

// Open addressing, linear probing; equal keys add up their values.
extern "C" __global__ void hash_insert(uint* keys, uint* values, uint capacity, const uint* in_keys,
                                       const uint* in_values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint key = in_keys[i];
  uint slot = (key * 2654435761u) & (capacity - 1);
  while (true) {
    uint previous = atomicCAS(&keys[slot], 0xffffffffu, key);
    if (previous == 0xffffffffu || previous == key) {
      atomicAdd(&values[slot], in_values[i]);
      return;
    }
    slot = (slot + 1) & (capacity - 1);
  }
}

extern "C" __global__ void hash_find(const uint* keys, const uint* values, uint capacity, const uint* wanted, int n,
                                     uint* found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint slot = (wanted[i] * 2654435761u) & (capacity - 1);
  for (uint probe = 0; probe < capacity; ++probe, slot = (slot + 1) & (capacity - 1)) {
    if (keys[slot] == wanted[i]) {
      found[i] = values[slot];
      return;
    }
    if (keys[slot] == 0xffffffffu) break;
  }
  found[i] = 0xffffffffu;
}

// Cuckoo insertion: whoever is thrown out goes to its other place. 64-bit entries; 0 is empty.
extern "C" __global__ void cuckoo_insert(ull* table, uint half, const ull* entries, int n, int* failed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  ull entry = entries[i];
  int side = 0;
  for (int kick = 0; kick < 200; ++kick) {
    uint place = side == 0 ? (uint)(entry * 0x9e3779b97f4a7c15ull >> 40) % half
                           : half + (uint)(entry * 0xc2b2ae3d27d4eb4full >> 40) % half;
    entry = atomicExch(&table[place], entry);
    if (entry == 0) return;
    uint home = (uint)(entry * 0x9e3779b97f4a7c15ull >> 40) % half;
    side = place == home ? 1 : 0;
  }
  atomicAdd(failed, 1);
}

extern "C" __global__ void bloom_add(uint* bits, uint mask, const uint* keys, int n, int hashes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint a = keys[i] * 0x85ebca6bu, b = (keys[i] ^ keys[i] >> 15) * 0xc2b2ae35u | 1;
  for (int h = 0; h < hashes; ++h, a += b) atomicOr(bits + ((a & mask) >> 5), 1u << (a & 31));
}

extern "C" __global__ void bloom_query(const uint* bits, uint mask, const uint* keys, int n, int hashes,
                                       unsigned char* maybe) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint a = keys[i] * 0x85ebca6bu, b = (keys[i] ^ keys[i] >> 15) * 0xc2b2ae35u | 1;
  bool all = true;
  for (int h = 0; h < hashes && all; ++h, a += b) all = bits[(a & mask) >> 5] >> (a & 31) & 1;
  maybe[i] = all;
}

// Philox 4x32-10: counter-based, each thread its own counter.
extern "C" __global__ void philox(uint4* out, int n, uint key0, uint key1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint c0 = i, c1 = 0, c2 = 0x243f6a88, c3 = 0x85a308d3, k0 = key0, k1 = key1;
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    uint hi0 = __umulhi(0xD2511F53u, c0), lo0 = 0xD2511F53u * c0;
    uint hi1 = __umulhi(0xCD9E8D57u, c2), lo1 = 0xCD9E8D57u * c2;
    uint n0 = hi1 ^ c1 ^ k0, n2 = hi0 ^ c3 ^ k1;
    c0 = n0; c1 = lo1; c2 = n2; c3 = lo0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[i] = make_uint4(c0, c1, c2, c3);
}

// Monte Carlo: points of a xorshift generator that fall into the quarter of a circle.
extern "C" __global__ void count_inside_circle(const uint* seeds, int n, int samples, ull* inside) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint x = seeds[i] | 1;
  int hits = 0;
  for (int s = 0; s < samples; ++s) {
    x ^= x << 13; x ^= x >> 17; x ^= x << 5;
    uint a = x & 0xffff, b = x >> 16;
    if (a * a + (ull)b * b < 0xffff0000ull) ++hits;
  }
  atomicAdd(inside, (ull)hits);
}
