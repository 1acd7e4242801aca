#include "engine/sim/ptx/inlining_comment.hpp"

#include <algorithm>
#include <charconv>

namespace tilescope {
namespace {

/// "softmax.py:37:29"; false if it is none.
bool read_place(std::string_view text, CommentPlace& place) {
  const size_t second = text.rfind(':');
  if (second == std::string_view::npos || second == 0) return false;
  const size_t first = text.rfind(':', second - 1);
  if (first == std::string_view::npos || first == 0) return false;
  place.file = text.substr(0, first);
  const auto number = [&](size_t begin, size_t end, uint32_t& value) {
    const auto read = std::from_chars(text.data() + begin, text.data() + end, value);
    return read.ec == std::errc{} && read.ptr == text.data() + end;
  };
  return number(first + 1, second, place.line) && number(second + 1, text.size(), place.column);
}

}  // namespace

std::vector<CommentPlace> places_in_comment(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  const size_t comment = text.find("// ");
  if (comment == std::string_view::npos) return {};
  text.remove_prefix(comment + 3);
  std::vector<CommentPlace> places;
  constexpr std::string_view kCaller = " @[ ";
  while (true) {
    const size_t next = text.find(kCaller);
    std::string_view one = text.substr(0, next);
    while (one.ends_with(" ]")) one.remove_suffix(2);
    CommentPlace place;
    if (!read_place(one, place)) return {};
    places.push_back(place);
    if (next == std::string_view::npos) return places;
    text.remove_prefix(next + kCaller.size());
  }
}

const CommentPlace* caller_in_own_file(const std::vector<CommentPlace>& places) {
  if (places.empty()) return nullptr;
  const auto own = std::ranges::find(places, places.back().file, &CommentPlace::file);
  return own == places.begin() ? nullptr : &*own;
}

}  // namespace tilescope
