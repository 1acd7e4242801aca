// A figure of a lesson: drawn in its column from the functions of the engine, never from a bitmap. A lesson names it in
// the first line of a fence:
//
//     ```figure reduction-tree values=3,1,4,1,5,9,2,6
//     ```
//
// A kind is one file of this folder, which registers itself. It reads its parameters, computes its numbers once, and
// paints them on a canvas of any width; measuring is painting without a draw list. Its texts are in the section
// [figure] of assets/strings/*.toml.
//
//     class Tree final : public Figure { float paint(FigureCanvas& canvas) const override { … return height; } };
//     const FigureRegistration registered{{"reduction-tree", [](FigureParameters& p) { … }}};
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/result.hpp"
#include "engine/specs.hpp"

namespace tilescope {

class FigureCanvas;

class Figure {
 public:
  Figure() = default;
  Figure(const Figure&) = delete;
  Figure& operator=(const Figure&) = delete;
  virtual ~Figure() = default;
  /// Draws it at the width of the canvas. Returns its height; both in unscaled pixels.
  virtual float paint(FigureCanvas& canvas) const = 0;
};

/// What is wrong with a fence: a text of [figure] and its placeholders.
struct FigureFault {
  std::string key;
  std::vector<std::pair<std::string, std::string>> places = {};
};

/// The parameters of a fence. A getter notes the first value that it cannot accept and returns the default, so that a
/// kind reads all of its parameters in a row.
class FigureParameters {
 public:
  FigureParameters(std::string_view text, std::span<const GpuSpec> gpus);

  int64_t number(const std::string& name, int64_t usual, int64_t low, int64_t high);
  /// Whole numbers separated by commas.
  std::vector<int64_t> numbers(const std::string& name, const std::string& usual, int64_t low, int64_t high,
                               size_t most);
  /// Numbers separated by commas, `fewest` … `most` of them.
  std::vector<double> values(const std::string& name, const std::string& usual, size_t fewest, size_t most);
  std::string choice(const std::string& name, const std::vector<std::string>& choices);  // the first is the default
  std::vector<std::string> chosen(const std::string& name, const std::vector<std::string>& choices);  // all by default
  /// A GPU of the table; nothing: the one that the learner has chosen.
  std::optional<GpuSpec> gpu(const std::string& name);
  /// For what only the kind itself can judge.
  void reject(FigureFault fault);

  /// What was wrong in everything read so far, and parameters that were never read.
  std::optional<FigureFault> fault() const;

 private:
  std::string taken(const std::string& name, const std::string& usual);
  void reject_value(const char* key, const std::string& name, const std::string& value, const std::string& expected);

  std::vector<std::pair<std::string, std::string>> given_;
  std::span<const GpuSpec> gpus_;
  std::set<std::string> known_;
  std::optional<FigureFault> fault_;
};

struct FigureKind {
  std::string_view name;
  std::unique_ptr<Figure> (*make)(FigureParameters& parameters) = nullptr;
};
struct FigureRegistration {
  explicit FigureRegistration(FigureKind kind);
};
/// Sorted by name.
const std::vector<FigureKind>& figure_kinds();

/// "reduction-tree values=3,1,4" → the figure.
tl::expected<std::unique_ptr<Figure>, FigureFault> read_figure(std::string_view text, std::span<const GpuSpec> gpus);

/// At most three decimals, without trailing zeros: 0.368, 31, −∞.
std::string figure_number(double value);

}  // namespace tilescope
