#include "engine/run/compare.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/parallel.hpp"
#include "engine/run/inputs.hpp"

namespace tilescope {
namespace {

constexpr size_t kPiece = size_t{1} << 15;

struct Piece {
  uint64_t mismatches = 0, nan = 0, untouched = 0;
  double largest_error = 0;
  uint64_t largest_error_index = 0;
  bool any_error = false;
  bool got_nonzero = false, expected_nonzero = false;
  std::optional<Correctness::Mismatch> first;
};

bool matches(double got, double expected, const Tolerance& tolerance) {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected)) return got == expected;
  return std::fabs(got - expected) <= tolerance.absolute + tolerance.relative * std::fabs(expected);
}

Piece compare_piece(const HostBuffer& got, const Tolerance& tolerance, const double* expected, size_t begin,
                    size_t end) {
  Piece piece;
  for (size_t i = begin; i < end; ++i) {
    const double value = value_at(got, i), wanted = expected[i - begin];
    piece.got_nonzero |= value != 0;
    piece.expected_nonzero |= wanted != 0;
    if (std::isnan(value)) ++piece.nan;
    const double error = std::fabs(value - wanted);
    if (std::isfinite(error) && (!piece.any_error || error > piece.largest_error)) {
      piece.largest_error = error;
      piece.largest_error_index = i;
      piece.any_error = true;
    }
    if (matches(value, wanted, tolerance)) continue;
    if (piece.mismatches++ == 0) piece.first = {i, wanted, value};
  }
  return piece;
}

void add_piece(Correctness& total, const Piece& piece) {
  if (!total.first && piece.first) total.first = piece.first;
  total.mismatches += piece.mismatches;
  total.nan += piece.nan;
  total.untouched += piece.untouched;
  if (piece.any_error && piece.largest_error > total.largest_error) {
    total.largest_error = piece.largest_error;
    total.largest_error_index = piece.largest_error_index;
  }
}

Phrase failure_reason(const Correctness& result, bool all_zero) {
  if (result.checked == 0) return Phrase("nothing was checked");
  if (result.untouched != 0) return phrase("{} of {} elements were never written", result.untouched, result.elements);
  if (all_zero) return Phrase("every element is zero");
  if (result.mismatches == 0) return {};
  return phrase("{} of {} elements differ, the first at [{}]: expected {}, got {}", result.mismatches, result.checked,
                result.first->index, fmt::format("{:.7g}", result.first->expected),
                fmt::format("{:.7g}", result.first->got));
}

void finish(Correctness& total, std::span<const Piece> pieces) {
  bool got_nonzero = false, expected_nonzero = false;
  for (const auto& piece : pieces) {
    add_piece(total, piece);
    got_nonzero |= piece.got_nonzero;
    expected_nonzero |= piece.expected_nonzero;
  }
  total.reason = failure_reason(total, expected_nonzero && !got_nonzero);
  total.pass = total.reason.empty();
}

}  // namespace

Correctness compare(const std::string& buffer_name, const HostBuffer& got, const Tolerance& tolerance,
                    const ExpectedFunction& expected) {
  Correctness total;
  total.buffer = buffer_name;
  total.tolerance = tolerance;
  total.checked = total.elements = got.count();
  const bool keep = got.count() <= Correctness::kErrorMapElements;
  if (keep) {
    total.expected.resize(got.count());
    total.expected_rest.resize(got.count());
  }

  std::vector<Piece> pieces((got.count() + kPiece - 1) / kPiece);
  parallel_for(got.count(), kPiece, [&](size_t begin, size_t end) {
    std::vector<double> values(end - begin);
    expected(begin, end, values.data());
    pieces[begin / kPiece] = compare_piece(got, tolerance, values.data(), begin, end);
    pieces[begin / kPiece].untouched = count_poison(got, begin, end);
    for (size_t i = begin; keep && i < end; ++i) {
      total.expected[i] = static_cast<float>(values[i - begin]);
      total.expected_rest[i] = static_cast<float>(values[i - begin] - double{total.expected[i]});
    }
  });

  finish(total, pieces);
  return total;
}

Correctness compare_some(const std::string& buffer_name, const HostBuffer& got, const Tolerance& tolerance,
                         const ExpectedFunction& expected, size_t most) {
  constexpr size_t kRun = 64;
  const size_t runs = std::max<size_t>(most / kRun, 1);
  if (got.count() <= std::max(most, runs * kRun)) return compare(buffer_name, got, tolerance, expected);
  Correctness total;
  total.buffer = buffer_name;
  total.tolerance = tolerance;
  total.elements = got.count();
  total.checked = runs * kRun;
  const size_t part = got.count() / runs;
  std::vector<Piece> pieces(runs);
  parallel_for(runs, 16, [&](size_t first, size_t last) {
    double values[kRun];
    for (size_t run = first; run < last; ++run) {
      // A position within its part: multiples of the golden ratio are evenly distributed, and never align with tiles.
      const double place = std::fmod(static_cast<double>(run) * 0.6180339887498949, 1.0);
      const size_t begin = run * part + static_cast<size_t>(place * static_cast<double>(part - kRun));
      expected(begin, begin + kRun, values);
      pieces[run] = compare_piece(got, tolerance, values, begin, begin + kRun);
    }
  });
  std::vector<Piece> whole((got.count() + kPiece - 1) / kPiece);
  parallel_for(got.count(), kPiece,
               [&](size_t begin, size_t end) { whole[begin / kPiece].untouched = count_poison(got, begin, end); });
  pieces.insert(pieces.end(), whole.begin(), whole.end());
  finish(total, pieces);
  return total;
}

}  // namespace tilescope
