// The review cards of a lab: docs/labs/review/LAB.toml as plain data. docs/adding-a-lab.md describes the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// A question with three or four choices, or with a number that is typed.
struct ReviewCard {
  std::string id = {};               // kept in the learner's progress; unique in its lab
  std::string skill = {};            // Skill::id
  Text question = {}, because = {};  // Markdown, with the links of lessons
  std::vector<Text> choices = {};    // empty: a number is typed
  size_t right = 0;                  // of the choices
  double number = 0, tolerance = 0;  // right are the numbers in number ± tolerance
  Text unit = {};                    // may be empty
  std::string run = {};              // arguments of `tilescope run` whose result gives the number; may be empty
  std::string answer = {};           // the expression over that result (app/observed/run_values.hpp)

  bool asks_for_number() const { return choices.empty(); }
  bool is_right(double typed) const;
};

/// Error: asset_malformed, with the file, the card and what is wrong in it.
Result<std::vector<ReviewCard>> read_cards(const std::filesystem::path& file);

/// The order in which the choices stand: a permutation of 0 … count − 1 that depends on the card and on how often it
/// was shown before, so that a position cannot be learnt.
std::vector<size_t> shuffled_choices(const ReviewCard& card, uint64_t showing);

/// A number as people type it: "4096", "4,096", "4 096", "4，096", "-0.5", "1e-3". Nothing for any other text.
std::optional<double> typed_number(std::string_view text);

}  // namespace tilescope
