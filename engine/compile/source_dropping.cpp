// Omits the parts of a source that do not compile (see device_source.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/compile/device_source.hpp"
#include "engine/compile/kernel_names.hpp"
#include "engine/compile/source_names.hpp"

namespace tilescope {
namespace {

bool holds_line(const SourcePart& part, uint32_t line) { return part.first_line <= line && line <= part.last_line; }

bool is_error(const CompileError& error) { return error.message.severity == CompileMessage::Severity::error; }

/// "f" for `ptxas: Entry function 'f' uses too much shared data`, where `before` is "Entry function ".
std::string name_after(const std::string& message, std::string_view before) {
  const size_t at = message.find(std::string(before) + "'");
  if (at == std::string::npos) return {};
  const size_t begin = at + before.size() + 1;
  return message.substr(begin, message.find('\'', begin) - begin);
}

}  // namespace

DeviceSource::File* DeviceSource::file_called(const std::string& name) {
  for (File* file : files())
    if (name == file->name || name == file->path) return file;
  return nullptr;
}

std::optional<size_t> DeviceSource::droppable_part(const File& file, uint32_t line) {
  std::optional<size_t> best;
  size_t owner = file.source.parts.size();  // the class of the following members
  for (size_t i = 0; i < file.source.parts.size(); ++i) {
    const SourcePart& part = file.source.parts[i];
    if (!part.is_member) owner = i;
    if (!holds_line(part, line) || file.dropped[i]) continue;
    // A class keeps its data members, or is dropped entirely.
    if (part.is_member && part.kind != SourcePart::Kind::function && !part.is_loose) continue;
    if (part.is_member && owner < i && file.dropped[owner]) continue;
    if (part.on_device && !(part.kind == SourcePart::Kind::type)) {
      if (part.kind == SourcePart::Kind::function) return std::nullopt;
      continue;
    }
    if (part.on_device || !part.is_complete) continue;
    best = i;
  }
  return best;
}

void DeviceSource::drop_part(PartAt at, const CompileError& error) {
  blank(*at.file, at.index);
  took_apart_ = took_apart_ || at.part().kind != SourcePart::Kind::other;
  if (at.file != &main_) give_header(*at.file);
  reasons_.try_emplace(last_component(at.part().name), Reason{error, at.part().is_kernel, at.part().on_device});
}

bool DeviceSource::drop(std::span<const CompileError> errors) {
  // When a library is taken apart, each round turns earlier errors into new ones. Macro calls do not count: NVRTC may
  // report them one by one.
  constexpr int kMostFruitless = 12;
  const auto count = static_cast<size_t>(std::ranges::count_if(errors, is_error));
  if (count < fewest_errors_) fruitless_rounds_ = 0;
  if (count >= fewest_errors_ && took_apart_) ++fruitless_rounds_;
  fewest_errors_ = std::min(fewest_errors_, count);
  took_apart_ = false;
  gave_up_ = fruitless_rounds_ > kMostFruitless;
  return !gave_up_ && (drop_host_parts(errors) || (wants_some_ && drop_unwanted_parts(errors)));
}

bool DeviceSource::drop_host_parts(std::span<const CompileError> errors) {
  std::vector<PartAt> gone;
  for (const CompileError& error : errors) {
    File* file = is_error(error) ? file_called(error.message.file) : nullptr;
    if (file == nullptr) continue;
    // One part may have several errors; the second must not drop the class that contains the first.
    const bool covered = std::ranges::any_of(
        gone, [&](const PartAt& at) { return at.file == file && holds_line(at.part(), error.message.line); });
    if (covered) continue;
    const auto part = droppable_part(*file, error.message.line);
    if (!part) continue;
    gone.push_back({file, *part});
    drop_part(gone.back(), error);
    drop_calls_of_the_same_macro(gone.back(), error);
  }
  return !gone.empty();
}

/// A macro that expands to host code in one call does so in all. NVRTC may report only the first, since it resumes at
/// the next semicolon.
void DeviceSource::drop_calls_of_the_same_macro(PartAt at, const CompileError& error) {
  const auto name_of_call = [](const File& file, const SourcePart& part) -> std::string_view {
    if (part.kind != SourcePart::Kind::other || part.is_member) return {};
    const auto first = std::ranges::lower_bound(file.source.tokens, part.begin, {}, &SourceToken::offset);
    if (first == file.source.tokens.end() || first->kind != SourceToken::Kind::name) return {};
    return first + 1 != file.source.tokens.end() && (first + 1)->is("(") ? first->text : std::string_view();
  };
  const std::string name(name_of_call(*at.file, at.part()));
  if (name.empty()) return;
  for (const File* file : files())
    for (const SourceToken& token : file->source.tokens) {
      if (directive_name(token) != "define") continue;
      const std::vector<SourceToken> words = source_tokens(directive_rest(token));
      if (words.empty() || words.front().text != name) continue;
      for (const SourceToken& word : words)
        if (word.text.starts_with("__") && word.text.ends_with("__")) return;  // it may expand to device code too
    }
  for (File* file : files())
    for (size_t i = 0; i < file->source.parts.size(); ++i)
      if (!file->dropped[i] && name_of_call(*file, file->source.parts[i]) == name) drop_part({file, i}, error);
}

/// Possible locations of an error's cause, most likely first. An error inside a template is attributed to the code that
/// instantiates it; for a ptxas error without a line, the name tells which kernel it is.
std::vector<SourcePlace> DeviceSource::places_of(const CompileError& error) const {
  std::vector<SourcePlace> places(error.instantiated_at.rbegin(), error.instantiated_at.rend());
  places.push_back({error.message.file, error.message.line});
  const std::string entry = name_after(error.message.text, "Entry function ");
  const std::string undefined = name_after(error.message.text, "Unresolved extern function ");
  if (entry.empty() && undefined.empty()) return places;
  for (const File* file : files())
    for (size_t i = 0; i < file->source.parts.size(); ++i) {
      const SourcePart& part = file->source.parts[i];
      const bool named = part.is_kernel && last_component(part.name) == bare_kernel_name(entry);
      const bool uses = part.is_definition && !file->dropped[i] && mentions(*file, part, bare_kernel_name(undefined));
      if (entry.empty() ? uses : named) places.push_back({file->path, part.first_line});
    }
  return places;
}

bool DeviceSource::mentions(const File& file, const SourcePart& part, std::string_view name) {
  const auto& tokens = file.source.tokens;
  for (auto token = std::ranges::lower_bound(tokens, part.begin, {}, &SourceToken::offset);
       token != tokens.end() && token->offset < part.end; ++token)
    if (token->is(name)) return true;
  return false;
}

/// The part that must be dropped to remove the error; nothing if it is a wanted kernel.
std::optional<DeviceSource::PartAt> DeviceSource::unwanted_part(const CompileError& error) {
  const std::vector<SourcePlace> places = places_of(error);
  for (const SourcePlace& place : places) {
    File* file = file_called(place.file);
    if (file == nullptr) continue;
    std::optional<size_t> best;
    for (size_t i = 0; i < file->source.parts.size(); ++i) {
      const SourcePart& part = file->source.parts[i];
      if (!holds_line(part, place.line) || file->dropped[i] || !part.is_complete) continue;
      if (is_wanted(part)) return std::nullopt;
      if (part.is_member && part.kind != SourcePart::Kind::function && !part.is_loose) continue;
      best = i;
    }
    if (best) return PartAt{file, *best};
  }
  return std::nullopt;
}

/// Kernels are dropped first: later errors may be consequences of earlier ones.
bool DeviceSource::drop_unwanted_parts(std::span<const CompileError> errors) {
  std::vector<std::pair<PartAt, const CompileError*>> kernels, others;
  for (const CompileError& error : errors) {
    const auto at = is_error(error) ? unwanted_part(error) : std::nullopt;
    if (at) (at->part().is_kernel ? kernels : others).emplace_back(*at, &error);
  }
  constexpr int kMostFruitless = 3;  // rounds that omit code that kernels may share
  if (kernels.empty() && !others.empty()) {
    if (before_others_.empty()) before_others_.assign(errors.begin(), errors.end());
    gave_up_ = fruitless_rounds_ > kMostFruitless;
    if (gave_up_) return false;
  }
  for (const auto& [at, error] : kernels.empty() ? others : kernels)
    if (!at.file->dropped[at.index]) drop_part(at, *error);
  return !kernels.empty() || !others.empty();
}

std::map<std::string, std::string> DeviceSource::kernels_left_out() const {
  std::map<std::string, std::string> kernels;
  for (const auto& [name, reason] : reasons_)
    if (reason.of_kernel) kernels[name] = line_of(reason.error);
  return kernels;
}

}  // namespace tilescope
