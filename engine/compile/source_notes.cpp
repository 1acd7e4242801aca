// Explains why a source does not compile (see device_source.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/compile/device_source.hpp"
#include "engine/compile/source_names.hpp"
#include "engine/specs.hpp"

namespace tilescope {
namespace {

bool says(const CompileError& error, std::string_view words) {
  return error.message.text.find(words) != std::string::npos;
}

/// "f" for "ns::f<int>".
std::string plain_name(const std::string& name) { return last_component(name.substr(0, name.find('<'))); }

}  // namespace

std::vector<CompileError> DeviceSource::causes(std::span<const CompileError> errors) const {
  if (gave_up_ && !before_others_.empty()) return before_others_;
  std::vector<CompileError> causes;
  std::set<std::string> told;
  const auto add = [&](const auto& self, const CompileError& error) -> bool {
    bool explained = false;
    for (const std::string& quoted : quoted_names(error.message.text)) {
      const std::string name = plain_name(quoted);
      const auto reason = reasons_.find(name);
      if (reason == reasons_.end() || !reason->second.on_device) continue;
      explained = true;
      if (!told.insert(name).second) continue;
      if (!self(self, reason->second.error)) causes.push_back(reason->second.error);
    }
    return explained;
  };
  for (const CompileError& error : errors)
    if (!add(add, error)) causes.push_back(error);
  return causes;
}

std::vector<CompileMessage> DeviceSource::warnings() const {
  std::vector<CompileMessage> warnings;
  for (const auto& [name, reason] : reasons_)
    if (reason.on_device)
      warnings.push_back(
          {CompileMessage::Severity::warning, reason.error.message.file, reason.error.message.line,
           fmt::format("'{}' was left out, because it does not compile: {}", name, reason.error.message.text)});
  return warnings;
}

std::string DeviceSource::name_of_part_at(const SourcePlace& place) const {
  for (const File* file : files()) {
    if (place.file != file->name && place.file != file->path) continue;
    for (const SourcePart& part : file->source.parts)
      if (part.first_line <= place.line && place.line <= part.last_line && !part.is_member) return part.name;
  }
  return {};
}

/// texture<float, 2> name;
bool DeviceSource::is_texture_reference(const File& file, const SourcePart& part) {
  const auto& tokens = file.source.tokens;
  auto token = std::ranges::lower_bound(tokens, part.begin, {}, &SourceToken::offset);
  while (token != tokens.end() && (token->is("static") || token->is("extern"))) ++token;
  return token != tokens.end() && (token->is("texture") || token->is("surface")) && token + 1 != tokens.end() &&
         (token + 1)->is("<");
}

std::optional<Error> DeviceSource::refusal(std::span<const CompileError> errors) const {
  constexpr std::array<std::string_view, 4> kClusterWords{"__cluster_dims__ is not supported", "\"this_cluster\"",
                                                          "\"cluster_group\"", "\"__cluster"};
  for (const CompileError& error : errors) {
    const SourcePlace place{error.message.file, error.message.line};
    const std::string part = name_of_part_at(error.instantiated_at.empty() ? place : error.instantiated_at.back());
    const std::string where = fmt::format("{}({})", place.file, place.line);
    if (says(error, "device-side kernel launch")) return make_error(ErrorId::dynamic_parallelism, part, where);
    if (std::ranges::any_of(kClusterWords, [&](std::string_view words) { return says(error, words); }))
      return make_error(ErrorId::cluster_kernel, part, where);
    for (const std::string& quoted : quoted_names(error.message.text))
      for (const File* file : files())
        for (const SourcePart& variable : file->source.parts)
          if (last_component(variable.name) == plain_name(quoted) && is_texture_reference(*file, variable))
            return make_error(ErrorId::texture_reference, part, variable.name,
                              fmt::format("{}({})", file->path, variable.first_line));
  }
  return std::nullopt;
}

Phrase DeviceSource::notes(std::span<const CompileError> errors) const {
  Phrase text;
  const auto add = [&](const Phrase& note) { text = phrase("{}\n{}", text, note); };
  std::set<std::string> named;
  bool shared = false;
  for (const CompileError& error : errors) {
    if (says(error, "uses too much shared data")) shared = true;
    for (const std::string& name : quoted_names(error.message.text)) named.insert(plain_name(name));
  }
  if (shared)
    add(
        phrase("Arrays that are declared __shared__ may take 49152 bytes in a block; more, up to {}, has to be "
               "extern __shared__, with its size given by --shared.",
               usual_gpu().shared_bytes_per_block));
  for (const CompileError& error : errors)
    if (says(error, "Unresolved extern"))
      add(Phrase("It is declared here and defined in a different file: give that file too, as a further source file."));
  for (const File* file : files()) {
    for (size_t i = 0; i < file->source.parts.size(); ++i) {
      const SourcePart& part = file->source.parts[i];
      const std::string name = last_component(part.name);
      if (!file->dropped[i] || !named.erase(name)) continue;
      if (const auto reason = reasons_.find(name); reason != reasons_.end())
        add(phrase("'{}' was left out, because it does not compile for the device: {}", name,
                   line_of(reason->second.error)));
      else if (part.kind == SourcePart::Kind::variable)
        add(phrase("'{}' in line {} of {} is for the host: it is not marked __device__ or const.", name,
                   part.first_line, file->path));
      else
        add(phrase("'{}' in line {} of {} is for the host: it is not marked __device__.", name, part.first_line,
                   file->path));
    }
  }
  if (!missing_.empty()) {
    std::string names;
    for (const std::string& name : missing_) names += (names.empty() ? "" : ", ") + name;
    add(phrase("Not found, and taken as empty: {}; give the folder with --include.", names));
  }
  return text;
}

}  // namespace tilescope
