#include "engine/compile/nvrtc_protocol.hpp"

#include <charconv>
#include <vector>

namespace tilescope {
namespace {

// A line is a list of fields, each followed by a tab. Inside a field, characters that would end a field or a line are
// escaped with a backslash.

class FieldWriter {
 public:
  void add(std::string_view field) {
    for (const char c : field) {
      if (c == '\n') {
        line_ += "\\n";
      } else if (c == '\t') {
        line_ += "\\t";
      } else if (c == '\\') {
        line_ += "\\\\";
      } else {
        line_ += c;
      }
    }
    line_ += '\t';
  }
  void add(uint64_t number) { add(std::to_string(number)); }
  std::string take() { return std::move(line_); }

 private:
  std::string line_;
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view line) : rest_(line) {}

  /// The next field; after the last one it is empty, and `good` becomes false.
  std::string text() {
    std::string field;
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '\t') {
        rest_.remove_prefix(i + 1);
        return field;
      }
      if (rest_[i] != '\\') {
        field += rest_[i];
        continue;
      }
      if (++i == rest_.size()) break;
      field += rest_[i] == 'n' ? '\n' : rest_[i] == 't' ? '\t' : rest_[i];
    }
    good_ = false;
    return {};
  }
  uint64_t number() {
    const std::string field = text();
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) good_ = false;
    return value;
  }
  bool good() const { return good_; }
  bool at_end() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

void add_all(FieldWriter& writer, const std::map<std::string, std::string>& texts) {
  writer.add(texts.size());
  for (const auto& [name, text] : texts) {
    writer.add(name);
    writer.add(text);
  }
}
void add_all(FieldWriter& writer, const std::vector<std::string>& texts) {
  writer.add(texts.size());
  for (const std::string& text : texts) writer.add(text);
}
std::map<std::string, std::string> read_map(FieldReader& reader) {
  std::map<std::string, std::string> texts;
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left) {
    std::string name = reader.text();
    texts[std::move(name)] = reader.text();
  }
  return texts;
}
std::vector<std::string> read_list(FieldReader& reader) {
  std::vector<std::string> texts;
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left) texts.push_back(reader.text());
  return texts;
}

}  // namespace

std::string line_of(const NvrtcQuestion& question) {
  FieldWriter writer;
  writer.add("compile");
  writer.add(question.number);
  writer.add(question.input.text);
  writer.add(question.input.file);
  add_all(writer, question.input.headers);
  add_all(writer, question.input.name_expressions);
  add_all(writer, question.input.options);
  return writer.take();
}

std::optional<NvrtcQuestion> question_in(std::string_view line) {
  FieldReader reader(line);
  NvrtcQuestion question;
  if (reader.text() != "compile") return std::nullopt;
  question.number = reader.number();
  question.input.text = reader.text();
  question.input.file = reader.text();
  question.input.headers = read_map(reader);
  question.input.name_expressions = read_list(reader);
  question.input.options = read_list(reader);
  return reader.at_end() ? std::optional(std::move(question)) : std::nullopt;
}

std::string line_of(const NvrtcOutput& output) {
  FieldWriter writer;
  writer.add("compiled");
  writer.add(static_cast<uint64_t>(output.result));
  writer.add(output.log);
  writer.add(output.ptx);
  writer.add({reinterpret_cast<const char*>(output.cubin.data()), output.cubin.size()});
  add_all(writer, output.lowered_names);
  return writer.take();
}

std::optional<NvrtcOutput> output_in(std::string_view line) {
  FieldReader reader(line);
  NvrtcOutput output;
  if (reader.text() != "compiled") return std::nullopt;
  output.result = static_cast<nvrtcResult>(reader.number());
  output.log = reader.text();
  output.ptx = reader.text();
  const std::string cubin = reader.text();
  const auto* bytes = reinterpret_cast<const std::byte*>(cubin.data());
  output.cubin.assign(bytes, bytes + cubin.size());
  output.lowered_names = read_map(reader);
  return reader.at_end() ? std::optional(std::move(output)) : std::nullopt;
}

std::string stop_line_of(uint64_t number) {
  FieldWriter writer;
  writer.add("stop");
  writer.add(number);
  return writer.take();
}

std::optional<uint64_t> stopped_in(std::string_view line) {
  FieldReader reader(line);
  if (reader.text() != "stop") return std::nullopt;
  const uint64_t number = reader.number();
  return reader.at_end() ? std::optional(number) : std::nullopt;
}

}  // namespace tilescope
