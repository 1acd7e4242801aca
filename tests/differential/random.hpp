// Draws sizes and values from a seed; the results are the same on every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace tilescope::differential {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 0x1234567) {}

  /// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
  uint64_t bits() {
    uint64_t value = state_ += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }
  /// Uniform over low … high, inclusive.
  int between(int low, int high) {
    return low + static_cast<int>(bits() % (static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1));
  }
  bool once_in(int times) { return between(1, times) == 1; }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  float real(float low, float high) { return low + static_cast<float>(unit()) * (high - low); }
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[bits() % choices.size()];
  }

  /// A size from 1 to `most` as kernels get them: tiny, around powers of two and warps, prime, anything.
  int size(int most) {
    static const std::vector<int> primes = {2,   3,   5,    7,    11,   13,   17,   19,   23,   29,   31,  37,
                                            41,  43,  61,   67,   97,   101,  127,  131,  251,  257,  509, 521,
                                            769, 997, 1009, 1021, 1031, 2039, 2053, 4093, 4099, 8191, 8209};
    int drawn = 1;
    switch (between(0, 5)) {
      case 0:
        drawn = between(1, 4);
        break;
      case 1:
        drawn = (1 << between(0, 13)) + between(-1, 1);
        break;
      case 2:
        drawn = 32 * between(1, 40) + between(-1, 1);
        break;
      case 3:
        drawn = one_of(primes);
        break;
      default:
        drawn = between(1, most);
        break;
    }
    return drawn < 1 ? 1 : drawn > most ? (drawn - 1) % most + 1 : drawn;
  }
  /// A power of two in low … high; both are powers of two.
  int power(int low, int high) {
    const int least = std::countr_zero(static_cast<unsigned>(low));
    return 1 << between(least, std::countr_zero(static_cast<unsigned>(high)));
  }
  /// A number of threads per block: any number, or whole warps.
  int block(int most) { return once_in(3) ? between(1, most) : 32 * between(1, most / 32); }

  template <class T = int>
  std::vector<T> integers(size_t count, int64_t low, int64_t high) {
    std::vector<T> values(count);
    for (T& value : values)
      value = static_cast<T>(low + static_cast<int64_t>(bits() % static_cast<uint64_t>(high - low + 1)));
    return values;
  }
  template <class T>
  std::vector<T> words(size_t count) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(bits());
    return values;
  }
  template <class T = float>
  std::vector<T> reals(size_t count, double low, double high) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(low + unit() * (high - low));
    return values;
  }

 private:
  uint64_t state_;
};

}  // namespace tilescope::differential
