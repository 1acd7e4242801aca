// An error in a field, for a window in two languages: the key of a sentence in assets/strings, and the values of its
// placeholders.
//
//     return Problem{"sandbox.unknown_name", {{"name", "m"}, {"names", "n, block"}}};
//     strings.format(problem.key, problem.places)
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace tilescope {

struct Problem {
  std::string key;
  std::vector<std::pair<std::string, std::string>> places = {};
  bool operator==(const Problem&) const = default;
};

/// A value, or the error in the text from which it should be read.
template <class T>
using Checked = tl::expected<T, Problem>;

inline tl::unexpected<Problem> wrong(std::string key, std::vector<std::pair<std::string, std::string>> places = {}) {
  return tl::unexpected<Problem>(Problem{std::move(key), std::move(places)});
}

}  // namespace tilescope
