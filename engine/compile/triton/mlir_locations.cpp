#include "engine/compile/triton/mlir_locations.hpp"

#include <algorithm>
#include <charconv>

namespace tilescope {
namespace {

using Entries = std::map<std::string, std::string, std::less<>>;

/// From an opening bracket at `open` to behind the one that closes it; npos: it stays open. Strings are skipped.
size_t end_of_brackets(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if ((c == ')' || c == ']') && --depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

/// Reads what is in the brackets of a loc(…), following references to the table.
class LocationReader {
 public:
  explicit LocationReader(const Entries& entries) : entries_(entries) {}

  MlirLocation read(std::string_view text) {
    MlirLocation location;
    text_ = text;
    read_into(location);
    return location;
  }

 private:
  // A damaged table may refer to itself, once or several times in each entry.
  static constexpr int kDeepest = 64, kMostSteps = 2000;

  bool accept(std::string_view word) {
    skip_spaces();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  void skip_spaces() {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
  }
  uint32_t number() {
    uint32_t value = 0;
    const auto read = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    text_.remove_prefix(static_cast<size_t>(read.ptr - text_.data()));
    return value;
  }
  std::string string() {
    std::string value;
    if (!accept("\"")) return value;
    while (!text_.empty() && text_.front() != '"') {
      if (text_.front() == '\\' && text_.size() > 1) text_.remove_prefix(1);
      value += text_.front();
      text_.remove_prefix(1);
    }
    accept("\"");
    return value;
  }

  void read_into(MlirLocation& location) {
    skip_spaces();
    if (++steps_ > kMostSteps || depth_ == kDeepest || text_.empty()) return;
    ++depth_;
    read_any(location);
    --depth_;
  }
  void read_any(MlirLocation& location) {
    if (text_.front() == '#')
      read_reference(location);
    else if (text_.front() == '"')
      read_named(location);
    else if (accept("callsite("))
      read_call(location);
    else if (accept("fused"))
      read_fused(location);
    else
      accept("unknown");
  }

  void read_reference(MlirLocation& location) {
    const size_t end = std::min(text_.find_first_of(" ,)]", 1), text_.size());
    const auto entry = entries_.find(text_.substr(1, end - 1));
    const std::string_view rest = text_.substr(end);
    if (entry != entries_.end()) {
      text_ = entry->second;
      read_into(location);
    }
    text_ = rest;
  }
  /// "file":12:24, or a name with the location in brackets.
  void read_named(MlirLocation& location) {
    std::string text = string();
    if (accept(":")) {
      MlirPlace place{std::move(text), number()};
      if (accept(":")) place.column = number();
      location.places.push_back(std::move(place));
      return;
    }
    if (accept("(")) {
      read_into(location);
      accept(")");
    }
    location.name = std::move(text);
  }
  void read_call(MlirLocation& location) {
    read_into(location);
    const std::string name = location.name;
    accept("at");
    MlirLocation caller;
    read_into(caller);
    accept(")");
    location.places.insert(location.places.end(), caller.places.begin(), caller.places.end());
    location.name = caller.name.empty() ? name : caller.name;
  }
  void read_fused(MlirLocation& location) {
    if (text_.starts_with('<')) text_.remove_prefix(std::min(text_.find('['), text_.size()));
    if (!accept("[")) return;
    bool known = false;
    do {
      MlirLocation one;
      read_into(one);
      if (!known && !one.places.empty()) location = std::move(one), known = true;
    } while (accept(","));
    accept("]");
  }

  const Entries& entries_;
  std::string_view text_;
  int depth_ = 0, steps_ = 0;
};

/// The brackets of the last loc(…) in a line.
std::string_view last_location(std::string_view line) {
  const size_t at = line.rfind(" loc(");
  if (at == std::string_view::npos) return {};
  const size_t end = end_of_brackets(line, at + 4);
  return end == std::string_view::npos ? std::string_view{} : line.substr(at + 5, end - at - 6);
}

}  // namespace

bool is_location_entry(std::string_view line) { return line.starts_with("#loc") && line.find(" = loc(") < line.size(); }

MlirLocations::MlirLocations(std::string_view text) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!is_location_entry(line)) continue;
    const size_t open = line.find("loc(", line.find('=')) + 3;
    const size_t close = end_of_brackets(line, open);
    if (close != std::string_view::npos)
      contents_[std::string(line.substr(1, line.find(' ') - 1))] = line.substr(open + 1, close - open - 2);
  }
  for (const auto& [name, content] : contents_) table_[name] = LocationReader(contents_).read(content);
}

MlirLocation MlirLocations::of_line(std::string_view line) const {
  const std::string_view content = last_location(line);
  if (content.starts_with('#')) {
    const auto known = table_.find(content.substr(1));
    return known != table_.end() ? known->second : MlirLocation{};
  }
  return LocationReader(contents_).read(content);
}

std::string without_locations(std::string_view line) {
  std::string text;
  while (true) {
    const size_t at = line.find(" loc(");
    const size_t end = at == std::string_view::npos ? at : end_of_brackets(line, at + 4);
    if (end == std::string_view::npos) break;
    text += line.substr(0, at);
    line.remove_prefix(end);
  }
  return text + std::string(line);
}

}  // namespace tilescope
