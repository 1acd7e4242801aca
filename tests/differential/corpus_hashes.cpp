#include <nettle/aes.h>
#include <nettle/md5.h>
#include <nettle/sha2.h>

#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

uint32_t murmur(const std::vector<uint8_t>& key, uint32_t seed) {
  uint32_t h = seed;
  const auto scramble = [](uint32_t k) { return std::rotl(k * 0xcc9e2d51U, 15) * 0x1b873593U; };
  for (size_t begin = 0; begin < key.size(); begin += 4) {
    uint32_t k = 0;
    const size_t bytes = std::min<size_t>(4, key.size() - begin);
    for (size_t i = 0; i < bytes; ++i) k |= uint32_t{key[begin + i]} << (8 * i);
    h ^= scramble(k);
    if (bytes == 4) h = std::rotl(h, 13) * 5 + 0xe6546b64U;
  }
  h ^= uint32_t(key.size());
  h = (h ^ h >> 16) * 0x85ebca6bU;
  h = (h ^ h >> 13) * 0xc2b2ae35U;
  return h ^ h >> 16;
}

void murmur_strings(Random& random, Scenario& s) {
  const int n = random.size(400), threads = random.block(128);
  std::vector<uint8_t> text;
  std::vector<int> offsets{0};
  std::vector<uint32_t> expected;
  for (int i = 0; i < n; ++i) {
    const auto key = random.words<uint8_t>(u32(random.between(0, 21)));
    text.insert(text.end(), key.begin(), key.end());
    offsets.push_back(int(text.size()));
    expected.push_back(murmur(key, 42));
  }
  text.push_back(0);
  const auto in = s.input("text", text), in_offsets = s.input("offsets", offsets),
             out = s.output<uint32_t>("out", u32(n));
  s.launch("murmur_strings", {blocks_for(n, threads)}, {u32(threads)}, 0, in, in_offsets, n, uint32_t{42}, out);
  s.expect(out, expected);
}

void crc32_rows(Random& random, Scenario& s) {
  const int n = random.size(200), length = random.size(60), threads = random.block(128);
  const auto rows = random.words<uint8_t>(u32(n * length));
  std::vector<uint32_t> expected;
  for (int r = 0; r < n; ++r) {
    uint32_t crc = ~0U;
    for (int i = 0; i < length * 8; ++i) {  // bit by bit, without a table
      const uint32_t bit = rows[u32(r * length + i / 8)] >> (i % 8) & 1U;
      crc = (crc >> 1) ^ (((crc ^ bit) & 1U) != 0 ? 0xedb88320U : 0U);
    }
    expected.push_back(~crc);
  }
  const auto in = s.input("rows", rows), out = s.output<uint32_t>("out", u32(n));
  s.launch("crc32_make_table", {1}, {256}, 0);
  s.launch("crc32_rows", {blocks_for(n, threads)}, {u32(threads)}, 0, in, n, length, out);
  s.expect(out, expected);
}

void xxhash64_words(Random& random, Scenario& s) {
  const int n = random.size(500), words = random.between(1, 5);
  const auto data = random.words<uint64_t>(u32(n * words));
  constexpr uint64_t p1 = 0x9E3779B185EBCA87, p2 = 0xC2B2AE3D27D4EB4F, p3 = 0x165667B19E3779F9;
  std::vector<uint64_t> expected;
  for (int i = 0; i < n; ++i) {
    uint64_t h = 7 + 0x27D4EB2F165667C5 + uint64_t(8 * words);
    for (int w = 0; w < words; ++w)
      h = std::rotl(h ^ std::rotl(data[u32(i * words + w)] * p2, 31) * p1, 27) * p1 + 0x85EBCA77C2B2AE63;
    h = (h ^ h >> 33) * p2;
    h = (h ^ h >> 29) * p3;
    expected.push_back(h ^ h >> 32);
  }
  const auto in = s.input("data", data), out = s.output<uint64_t>("out", u32(n));
  s.launch("xxhash64_words", {u32(random.between(1, 5))}, {u32(random.block(128))}, 0, in, n, words, uint64_t{7}, out);
  s.expect(out, expected);
}

void sha256_rows(Random& random, Scenario& s) {
  const int n = random.size(70), length = random.size(130), threads = random.block(64);
  const auto messages = random.words<uint8_t>(u32(n * length));
  std::vector<uint8_t> digests(u32(n) * SHA256_DIGEST_SIZE);
  for (int r = 0; r < n; ++r) {
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, u32(length), &messages[u32(r * length)]);
    sha256_digest(&context, SHA256_DIGEST_SIZE, &digests[u32(r) * SHA256_DIGEST_SIZE]);
  }
  const auto in = s.input("messages", messages), out = s.output<uint8_t>("digests", digests.size());
  s.launch("sha256_rows", {blocks_for(n, threads)}, {u32(threads)}, 0, in, n, length, out);
  s.expect(out, digests);
}

void md5_blocks(Random& random, Scenario& s) {
  const int n = random.size(150), threads = random.block(64);
  std::vector<uint32_t> sines;
  for (int i = 0; i < 64; ++i) sines.push_back(uint32_t(std::floor(std::abs(std::sin(i + 1.0)) * 0x1p32)));
  std::vector<uint8_t> blocks, digests(u32(n) * MD5_DIGEST_SIZE);
  for (int r = 0; r < n; ++r) {
    auto message = random.words<uint8_t>(u32(random.between(0, 55)));
    md5_ctx context;
    md5_init(&context);
    md5_update(&context, message.size(), message.data());
    md5_digest(&context, MD5_DIGEST_SIZE, &digests[u32(r) * MD5_DIGEST_SIZE]);
    const size_t bits = message.size() * 8;
    message.push_back(0x80);
    message.resize(64);
    message[56] = uint8_t(bits);
    message[57] = uint8_t(bits >> 8);
    blocks.insert(blocks.end(), message.begin(), message.end());
  }
  const auto words = s.input("words", blocks), in_sines = s.input("sines", sines);
  const auto out = s.output<uint8_t>("out", digests.size());
  s.launch("md5_blocks", {blocks_for(n, threads)}, {u32(threads)}, 0, words, in_sines, n, out);
  s.expect(out, digests);
}

uint8_t multiply_gf(uint8_t a, uint8_t b) {
  uint8_t product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) product ^= a;
    a = uint8_t(a << 1 ^ ((a & 0x80) != 0 ? 0x1b : 0));
  }
  return product;
}

/// FIPS 197, 5.1.1: the inverse in GF(2^8), then an affine map.
std::vector<uint8_t> aes_box() {
  std::vector<uint8_t> box;
  for (int x = 0; x < 256; ++x) {
    uint8_t inverse = 0;
    for (int y = 1; y < 256; ++y)
      if (multiply_gf(uint8_t(x), uint8_t(y)) == 1) inverse = uint8_t(y);
    uint8_t mapped = 0x63;
    for (int shift = 0; shift < 5; ++shift) mapped ^= std::rotl(inverse, shift);
    box.push_back(mapped);
  }
  return box;
}

void cipher_round(Random& random, Scenario& s) {
  static const std::vector<uint8_t> box = aes_box();
  const int n = random.size(150), threads = random.block(64);
  const auto plain = random.words<uint8_t>(u32(n * 16));
  auto key = random.words<uint8_t>(16);
  std::vector<uint8_t> cipher(plain.size());
  aes128_ctx context;
  aes128_set_encrypt_key(&context, key.data());
  aes128_encrypt(&context, cipher.size(), cipher.data(), plain.data());
  uint8_t round_constant = 1;
  for (size_t i = 16; i < 176; i += 4) {  // FIPS 197, 5.2
    uint8_t word[4] = {key[i - 4], key[i - 3], key[i - 2], key[i - 1]};
    if (i % 16 == 0) {
      const uint8_t first = word[0];
      for (size_t b = 0; b < 3; ++b) word[b] = box[word[b + 1]];
      word[3] = box[first];
      word[0] ^= round_constant;
      round_constant = multiply_gf(round_constant, 2);
    }
    for (size_t b = 0; b < 4; ++b) key.push_back(key[i + b - 16] ^ word[b]);
  }
  const auto in = s.input("state_in", plain), in_box = s.input("sbox", box), in_key = s.input("key", key);
  const auto out = s.output<uint8_t>("state_out", plain.size());
  s.launch("cipher_round", {blocks_for(n, threads)}, {u32(threads)}, 0, in, in_box, in_key, out, n, 10);
  s.expect(out, cipher);
}

void hash_table(Random& random, Scenario& s) {
  const int n = random.size(1200), threads = random.block(256);
  const uint32_t capacity = std::bit_ceil(u32(n) * 2);
  const auto keys = random.integers<uint32_t>(u32(n), 0, 700), values = random.integers<uint32_t>(u32(n), 0, 99);
  std::map<uint32_t, uint32_t> sums;
  for (size_t i = 0; i < keys.size(); ++i) sums[keys[i]] += values[i];
  const auto wanted = random.integers<uint32_t>(u32(n), 0, 1400);
  std::vector<uint32_t> expected;
  for (uint32_t key : wanted) expected.push_back(sums.contains(key) ? sums[key] : 0xffffffffU);
  const std::string why = "which key gets a slot first depends on the order";
  const auto table_keys = s.inout("keys", std::vector<uint32_t>(capacity, 0xffffffffU), same_elements(why));
  const auto table_values = s.inout("values", std::vector<uint32_t>(capacity), same_elements(why));
  const auto in_keys = s.input("in_keys", keys), in_values = s.input("in_values", values);
  const auto in_wanted = s.input("wanted", wanted), found = s.output<uint32_t>("found", u32(n));
  s.launch("hash_insert", {blocks_for(n, threads)}, {u32(threads)}, 0, table_keys, table_values, capacity, in_keys,
           in_values, n);
  s.launch("hash_find", {blocks_for(n, threads)}, {u32(threads)}, 0, table_keys, table_values, capacity, in_wanted, n,
           found);
  s.expect(found, expected);
}

void cuckoo_insert(Random& random, Scenario& s) {
  const int n = random.size(600), threads = random.block(128);
  const uint32_t half = u32(2 * n + 8);
  std::set<uint64_t> distinct;
  while (distinct.size() < u32(n)) distinct.insert(random.bits() | 1);
  const std::vector<uint64_t> entries(distinct.begin(), distinct.end());
  std::vector<uint64_t> expected(2 * size_t{half});
  std::copy(entries.begin(), entries.end(), expected.begin());
  const std::string why = "an entry has two places";
  const auto table = s.inout("table", std::vector<uint64_t>(expected.size()), same_elements(why));
  const auto in = s.input("entries", entries), failed = s.inout<int>("failed", {0});
  s.launch("cuckoo_insert", {blocks_for(n, threads)}, {u32(threads)}, 0, table, half, in, n, failed);
  s.expect(table, expected, same_elements(why));
  s.expect<int>(failed, {0});
}

void bloom(Random& random, Scenario& s) {
  const int n = random.size(300), hashes = random.between(1, 5), threads = random.block(128);
  const uint32_t mask = u32(random.power(32, 8192)) - 1;
  const auto keys = random.words<uint32_t>(u32(n));
  auto queries = random.words<uint32_t>(u32(n));
  for (size_t i = 0; i < queries.size(); i += 2) queries[i] = keys[i];
  std::vector<bool> bits(mask + 1);
  const auto places = [&](uint32_t key) {
    std::vector<uint32_t> at;
    for (uint32_t h = 0; h < u32(hashes); ++h)
      at.push_back((key * 0x85ebca6bU + h * ((key ^ key >> 15) * 0xc2b2ae35U | 1U)) & mask);
    return at;
  };
  for (uint32_t key : keys)
    for (uint32_t at : places(key)) bits[at] = true;
  std::vector<uint8_t> maybe;
  for (uint32_t key : queries) {
    const auto at = places(key);
    maybe.push_back(std::all_of(at.begin(), at.end(), [&](uint32_t bit) { return bits[bit]; }));
  }
  const auto filter = s.inout("bits", std::vector<uint32_t>((mask + 1) / 32));
  const auto in = s.input("keys", keys), in_queries = s.input("queries", queries),
             out = s.output<uint8_t>("maybe", u32(n));
  s.launch("bloom_add", {blocks_for(n, threads)}, {u32(threads)}, 0, filter, mask, in, n, hashes);
  s.launch("bloom_query", {blocks_for(n, threads)}, {u32(threads)}, 0, filter, mask, in_queries, n, hashes, out);
  s.expect(out, maybe);
}

void philox(Random& random, Scenario& s) {
  const int n = random.size(1000), threads = random.block(256);
  const auto key0 = uint32_t(random.bits()), key1 = uint32_t(random.bits());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < u32(n); ++i) {
    uint32_t c[4] = {i, 0, 0x243f6a88, 0x85a308d3}, k[2] = {key0, key1};
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * c[0], b = uint64_t{0xCD9E8D57} * c[2];
      const uint32_t next[4] = {uint32_t(b >> 32) ^ c[1] ^ k[0], uint32_t(b), uint32_t(a >> 32) ^ c[3] ^ k[1],
                                uint32_t(a)};
      std::copy_n(next, 4, c);
      k[0] += 0x9E3779B9;
      k[1] += 0xBB67AE85;
    }
    expected.insert(expected.end(), c, c + 4);
  }
  const auto out = s.output<uint32_t>("out", expected.size());
  s.launch("philox", {blocks_for(n, threads)}, {u32(threads)}, 0, out, n, key0, key1);
  s.expect(out, expected);
}

void count_inside_circle(Random& random, Scenario& s) {
  const int n = random.size(500), samples = random.between(1, 40), threads = random.block(256);
  const auto seeds = random.words<uint32_t>(u32(n));
  uint64_t hits = 0;
  for (uint32_t seed : seeds) {
    uint32_t x = seed | 1;
    for (int i = 0; i < samples; ++i) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
      const uint32_t a = (x & 0xffff) * (x & 0xffff);
      hits += a + uint64_t{x >> 16} * (x >> 16) < 0xffff0000U;
    }
  }
  const auto in = s.input("seeds", seeds), out = s.inout<uint64_t>("inside", {0});
  s.launch("count_inside_circle", {blocks_for(n, threads)}, {u32(threads)}, 0, in, n, samples, out);
  s.expect<uint64_t>(out, {hits});
}

}  // namespace

void add_hashes(Corpus& corpus) {
  const std::string file = "hashes.cu";
  corpus.push_back({"murmur_strings", file, murmur_strings});
  corpus.push_back({"crc32_rows", file, crc32_rows});
  corpus.push_back({"xxhash64_words", file, xxhash64_words});
  corpus.push_back({"sha256_rows", file, sha256_rows});
  corpus.push_back({"md5_blocks", file, md5_blocks});
  corpus.push_back({"cipher_round", file, cipher_round});
  corpus.push_back({"hash_table", file, hash_table});
  corpus.push_back({"cuckoo_insert", file, cuckoo_insert});
  corpus.push_back({"bloom", file, bloom});
  corpus.push_back({"philox", file, philox});
  corpus.push_back({"count_inside_circle", file, count_inside_circle});
}

}  // namespace tilescope::differential
