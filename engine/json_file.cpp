#include "engine/json_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/json_text.hpp"
#include "engine/sha256.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

/// A list of numbers stays on the line of what it belongs to.
bool holds_list(const json& value) {
  if (value.is_object()) return std::any_of(value.begin(), value.end(), holds_list);
  return value.is_array() && !std::all_of(value.begin(), value.end(), [](const json& one) { return one.is_number(); });
}

void append_lines(std::string& text, const json& value, size_t depth) {
  if (!value.is_structured() || value.empty()) {
    text += json_text(value);
    return;
  }
  const bool is_object = value.is_object(), is_split = holds_list(value);
  const auto end_line = [&](size_t next_depth) {
    if (is_split) text.append("\n").append(next_depth, ' ');
  };
  text += is_object ? '{' : '[';
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (item != value.begin()) text += is_split ? "," : ", ";
    end_line(depth + 1);
    if (is_object) text += json_text(json(item.key())) + ": ";
    append_lines(text, *item, depth + 1);
  }
  end_line(depth);
  text += is_object ? '}' : ']';
}

}  // namespace

std::string json_fingerprint(json document) {
  document.erase("sha256");  // nlohmann's objects are sorted, so the compact text is canonical
  return sha256_of(json_text(document));
}

json parse_json(const std::string& text, int depth) {
  bool too_deep = false;
  json document = json::parse(
      text,
      [&too_deep, most = depth](int level, json::parse_event_t, json&) {
        too_deep |= level > most;
        return !too_deep;
      },
      false);
  return too_deep ? json(json::value_t::discarded) : document;
}

std::string json_lines(const json& document) {
  std::string text;
  append_lines(text, document, 0);
  return text;
}

double six_digits(double value) {
  const std::string text = fmt::format("{:.6g}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Result<void> write_json(const json& document, const std::filesystem::path& file) {
  static std::atomic<uint64_t> count = 0;
  std::filesystem::path partial = file;
  partial += fmt::format(".{}.{}.partial", getpid(), ++count);
  std::error_code error, ignored;
  {
    std::ofstream stream(partial, std::ios::binary | std::ios::trunc);
    stream << json_lines(document) << '\n';
    stream.flush();
    if (!stream) {
      stream.close();
      std::filesystem::remove(partial, ignored);
      return fail(ErrorId::file_not_written, file.string(), "the write failed");
    }
  }
  std::filesystem::rename(partial, file, error);
  if (!error) return {};
  std::filesystem::remove(partial, ignored);
  return fail(ErrorId::file_not_written, file.string(), error.message());
}

}  // namespace tilescope
