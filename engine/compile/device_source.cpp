#include "engine/compile/device_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "engine/compile/kernel_names.hpp"
#include "engine/compile/source_dialect.hpp"
#include "engine/compile/source_key.hpp"
#include "engine/compile/source_names.hpp"
#include "engine/compile/stand_in_headers.hpp"
#include "engine/sha256.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string, std::less<>>;

/// A folder name that no real header can have.
constexpr std::string_view kStandInFolder = "tilescope-stand-ins/";

/// Facts from all files, needed when one of them is examined.
struct Usage {
  Names device_functions;  // qualified names
  Names in_operands;       // names inside decltype(…) and similar, where a function need not be for the device
  Names device_macros;     // stand for __device__ or similar, in some branch
  Names constant_macros;   // stand for const or constexpr
};

void add_macros(const std::vector<SourceToken>& tokens, Usage& usage) {
  constexpr std::array<std::string_view, 5> kDeviceWords{"__global__", "__device__", "__constant__", "__shared__",
                                                         "__managed__"};
  for (const SourceToken& token : tokens) {
    if (directive_name(token) != "define") continue;
    const std::vector<SourceToken> words = source_tokens(directive_rest(token));
    for (size_t i = 1; i < words.size(); ++i) {
      const std::string_view word = words[i].text;
      const bool on_device = std::ranges::find(kDeviceWords, word) != kDeviceWords.end();
      if (on_device || usage.device_macros.contains(word)) usage.device_macros.emplace(words[0].text);
      if (word == "const" || word == "constexpr") usage.constant_macros.emplace(words[0].text);
    }
  }
}

/// Whether one of these macros precedes the declared name.
bool begins_with(const SourcePart& part, const std::vector<SourceToken>& tokens, const Names& macros) {
  for (auto token = std::ranges::lower_bound(tokens, part.begin, {}, &SourceToken::offset);
       token != tokens.end() && token->offset < part.end; ++token) {
    if (token->is("=") || token->is("{") || token->is(";") || token->is("(")) return false;
    if (token->kind == SourceToken::Kind::name && macros.contains(token->text)) return true;
  }
  return false;
}

/// Whether the part cannot be for the device, whatever else refers to it.
bool is_for_the_host(const SourcePart& part, const std::vector<SourceToken>& tokens, const Usage& usage) {
  if (part.on_device || begins_with(part, tokens, usage.device_macros)) return false;
  if (part.host_only && part.kind != SourcePart::Kind::type) return true;
  if (part.is_member) return false;
  if (part.kind == SourcePart::Kind::variable)
    return !part.is_const && !part.is_constexpr && !begins_with(part, tokens, usage.constant_macros);
  if (part.kind != SourcePart::Kind::function || part.is_constexpr) return false;
  if (part.is_const && !part.is_definition) return false;  // const int size(5);
  if (usage.in_operands.contains(last_component(part.name))) return false;
  return !usage.device_functions.contains(part.name);
}

void add_names_in_operands(const std::vector<SourceToken>& tokens, Names& names) {
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool opens = tokens[i].is("decltype") || tokens[i].is("sizeof") || tokens[i].is("noexcept");
    if (!opens || !tokens[i + 1].is("(")) continue;
    int depth = 0;
    for (size_t j = i + 1; j < tokens.size(); ++j) {
      if (tokens[j].is("(")) ++depth;
      if (tokens[j].is(")") && --depth == 0) break;
      if (tokens[j].kind == SourceToken::Kind::name) names.emplace(tokens[j].text);
    }
  }
}

/// Ignores code inside conditionals, with which libraries that support several standards guard such words.
bool uses_cxx20(const std::vector<SourceToken>& tokens) {
  int depth = 0;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string_view directive = directive_name(tokens[i]);
    const bool guard = depth == 0 && directive == "ifndef" && directive_name(tokens[i + 1]) == "define";
    if (directive.starts_with("if") && !guard) ++depth;
    if (directive == "endif" && depth > 0) --depth;
    if (depth > 0 || tokens[i].kind != SourceToken::Kind::name) continue;
    const bool follows_template = i > 0 && tokens[i - 1].is(">");
    if (tokens[i].is("consteval") || tokens[i].is("constinit")) return true;
    if (follows_template && (tokens[i].is("concept") || tokens[i].is("requires"))) return true;
  }
  return false;
}

}  // namespace

DeviceSource::File DeviceSource::read_file(std::string name, std::string path, std::string text) {
  File file;
  file.name = std::move(name);
  file.path = std::move(path);
  file.original = std::make_unique<const std::string>(std::move(text));
  file.device_text = *file.original;
  file.source = parts_of_source(*file.original);
  file.dropped.resize(file.source.parts.size());
  return file;
}

void DeviceSource::blank(File& file, size_t index) {
  const SourcePart& part = file.source.parts[index];
  file.dropped[index] = true;
  const auto erase = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      if (file.device_text[i] != '\n' && file.device_text[i] != '\r') file.device_text[i] = ' ';
  };
  // Directives stay: a declaration may contain one half of an #if, or include what other code needs.
  size_t begin = part.begin;
  const auto& tokens = file.source.tokens;
  for (auto token = std::ranges::lower_bound(tokens, part.begin, {}, &SourceToken::offset);
       token != tokens.end() && token->offset < part.end; ++token) {
    if (token->kind != SourceToken::Kind::directive) continue;
    erase(begin, token->offset);
    begin = std::min(token->end(), part.end);
  }
  erase(begin, part.end);
}

/// Rewrites forms that nvcc accepts and NVRTC rejects: (T){a, b} to T{a, b}, and extern "C"__global__ without a blank.
void DeviceSource::add_rewritings_of_dialect(File& file) {
  for (const CompoundLiteral& literal : compound_literals(*file.original, file.source.tokens)) {
    file.rewritings.push_back({literal.open, literal.open + 1, " "});
    file.rewritings.push_back({literal.close, literal.close + 1, " "});
  }
  for (const size_t at : marks_after_strings(file.source.tokens))
    file.rewritings.push_back({at, at + 1, " " + file.original->substr(at, 1)});
  std::ranges::sort(file.rewritings, {}, &Rewriting::begin);
}

std::string DeviceSource::text_of(const File& file) {
  std::string text;
  size_t done = 0;
  for (const Rewriting& one : file.rewritings) {
    if (one.begin < done || file.device_text[one.begin] == ' ') continue;  // the code that contained it was dropped
    text.append(file.device_text, done, one.begin - done);
    text += one.text;
    done = one.end;
  }
  return text.append(file.device_text, done);
}

std::vector<DeviceSource::File*> DeviceSource::files() {
  std::vector<File*> all{&main_};
  for (File& file : included_) all.push_back(&file);
  return all;
}
std::vector<const DeviceSource::File*> DeviceSource::files() const {
  std::vector<const File*> all{&main_};
  for (const File& file : included_) all.push_back(&file);
  return all;
}

void DeviceSource::blank_host_parts() {
  Usage usage;
  for (const File* file : files()) add_macros(file->source.tokens, usage);
  for (const File* file : files()) {
    add_names_in_operands(file->source.tokens, usage.in_operands);
    for (const SourcePart& part : file->source.parts)
      if (part.kind == SourcePart::Kind::function && part.on_device) usage.device_functions.insert(part.name);
  }
  for (File* file : files())
    for (size_t i = 0; i < file->source.parts.size(); ++i)
      if (is_for_the_host(file->source.parts[i], file->source.tokens, usage)) blank(*file, i);
}

void DeviceSource::leave_kernels(File& file, const std::vector<std::string>& wanted) {
  std::map<std::string, size_t> definitions;  // of kernels
  for (const SourcePart& part : file.source.parts)
    if (part.is_kernel && part.is_definition && !part.is_template && !part.is_member) ++definitions[part.name];
  const auto is_found = [&](const std::string& name) { return definitions.contains(name); };
  if (wanted.empty() || !std::all_of(wanted.begin(), wanted.end(), is_found)) return;
  for (const SourceToken& token : file.source.tokens)
    if (const auto named = definitions.find(std::string(token.text)); named != definitions.end() && named->second > 0)
      --named->second;
    else if (named != definitions.end())
      definitions.erase(named);  // named outside its definition
  for (size_t i = 0; i < file.source.parts.size(); ++i) {
    const SourcePart& part = file.source.parts[i];
    if (part.is_kernel && part.is_definition && definitions.contains(part.name) &&
        std::find(wanted.begin(), wanted.end(), part.name) == wanted.end())
      blank(file, i);
  }
}

void DeviceSource::find_wanted(const std::vector<std::string>& kernels) {
  wants_some_ = !kernels.empty();
  for (const std::string& kernel : kernels) {
    if (!kernel.empty()) {
      const std::string name = kernel.substr(0, kernel.find_first_of("<("));  // with the namespaces that were typed
      wanted_.insert(name.substr(std::min(name.find_first_not_of(": "), name.size())));
      continue;
    }
    // No name: the only kernel of the file, else the only one of its headers.
    std::set<std::string> own, others;
    for (const File* file : files())
      for (const SourcePart& part : file->source.parts)
        if (part.is_kernel && part.kind == SourcePart::Kind::function)
          (file == &main_ ? own : others).insert(last_component(part.name));
    const std::set<std::string>& all = own.empty() ? others : own;
    if (all.size() == 1) wanted_.insert(*all.begin());
  }
}

bool DeviceSource::is_wanted(const SourcePart& part) const {
  return part.is_kernel && std::ranges::any_of(wanted_, [&](const std::string& wanted) {
           return may_be_called(wanted, part.name) || may_be_called(part.name, wanted);
         });
}

DeviceSource::DeviceSource(const CompileRequest& request, const std::vector<std::string>& toolkit_folders)
    : main_(read_file(request.file, request.file, request.text)),
      toolkit_folders_(toolkit_folders),
      given_folders_(request.include_folders),
      defines_(request.defines),
      source_folder_(source_folder_of(request)),
      headers_(standard_stand_ins()) {
  for (const SourceFile& header : request.headers) given_texts_[file_identity(header.file)] = header.text;
  add_headers(main_, source_folder_);
  for (File* file : files()) add_rewritings_of_dialect(*file);
  blank_host_parts();
  leave_kernels(main_, request.only_kernels);
  find_wanted(request.wanted_kernels);
  for (const File& header : included_) give_header(header);
  add_prelude();
}

/// Follows the #include directives of a user file.
void DeviceSource::add_headers(File& file, const std::string& folder) {
  for (const SourceInclusion& inclusion : inclusions_of(file.source.tokens, *file.original)) {
    auto found = find_header(inclusion, folder, given_folders_);
    // A build system would have pointed -I to the source's folder, so a header there is better than none.
    std::error_code error;
    if (!found && !source_folder_.empty() && (inclusion.quoted || !is_foreign(inclusion.name)))
      if (const fs::path beside = fs::path(source_folder_) / inclusion.name; fs::is_regular_file(beside, error))
        found = beside;
    auto text = found ? read_text_file(*found) : std::nullopt;
    if (!text) {
      add_foreign_header(file, inclusion);
      continue;
    }
    const std::string identity = file_identity(*found);
    if (const auto given = given_texts_.find(identity); given != given_texts_.end()) text = given->second;
    auto known = name_of_file_.find(identity);
    if (known == name_of_file_.end()) {
      const std::string name = fs::absolute(*found, error).lexically_normal().string();
      known = name_of_file_.emplace(identity, name).first;
      // A deque, so that the reference stays valid.
      included_.push_back(read_file(name, found->lexically_normal().string(), std::move(*text)));
      add_headers(included_.back(), found->parent_path().string());
    }
    file.rewritings.push_back({inclusion.begin, inclusion.end, '"' + known->second + '"'});
  }
}

/// Whether a header with this name exists that is not the user's.
bool DeviceSource::is_foreign(const std::string& name) const {
  if (headers_.contains(name) || library_stand_in(name)) return true;
  std::error_code ignored;
  return std::ranges::any_of(toolkit_folders_,
                             [&](const fs::path& folder) { return fs::exists(folder / name, ignored); });
}

void DeviceSource::add_foreign_header(File& file, const SourceInclusion& inclusion) {
  const std::string& name = inclusion.name;
  foreign_.insert(name);
  if (headers_.contains(name)) return;
  auto text = library_stand_in(name);
  if (text) {
    uses_library_ = true;
  } else {
    if (is_foreign(name) || toolkit_folders_.empty()) return;  // without folders it is unknown what NVRTC can find
    if (std::ranges::find(missing_, name) == missing_.end()) missing_.push_back(name);
    text.emplace();
  }
  const std::string stand_in = std::string(kStandInFolder) + name;
  headers_[stand_in] = std::move(*text);
  file.rewritings.push_back({inclusion.begin, inclusion.end, '"' + stand_in + '"'});
}

std::string DeviceSource::hash() const {
  const std::string main = text();
  std::string all = fmt::format("{}:{}{}:{}", main.size(), main, prelude_.size(), prelude_);
  for (const auto& [name, header] : headers_)
    all += fmt::format("{}:{}{}:{}", name.size(), name, header.size(), header);
  return sha256_of(all);
}

bool DeviceSource::includes_by_macro() const {
  std::vector<const std::vector<SourceToken>*> tokens;
  for (const File* file : files()) tokens.push_back(&file->source.tokens);
  // A toolkit header, whose contents are not read, named by one of the file's own macros: <cuda/std/x> in CUTLASS.
  std::map<std::string_view, bool> known;
  const auto is_of_the_toolkit = [&](std::string_view rest) {
    const auto meant = inclusions_by_macro(rest, tokens, defines_);
    return !meant.empty() && std::ranges::all_of(meant, [&](const SourceInclusion& one) {
      return !find_header(one, source_folder_, given_folders_) && is_foreign(one.name);
    });
  };
  for (const std::vector<SourceToken>* of_file : tokens)
    for (const SourceToken& token : *of_file) {
      if (directive_name(token) != "include") continue;
      const std::string_view rest = directive_rest(token);
      if (!rest.empty() && (rest.front() == '"' || rest.front() == '<')) continue;
      const auto [answer, is_new] = known.try_emplace(rest, false);
      if (is_new) answer->second = is_of_the_toolkit(rest);
      if (!answer->second) return true;
    }
  return false;
}

bool DeviceSource::needs_cxx20() const {
  return std::ranges::any_of(files(), [](const File* file) { return uses_cxx20(file->source.tokens); });
}

std::map<std::string, std::string> DeviceSource::header_paths() const {
  std::map<std::string, std::string> paths;
  for (const File& header : included_) paths[header.name] = header.path;
  return paths;
}

std::string DeviceSource::original_text() const {
  std::string text = *main_.original;
  for (const File& header : included_) text += "\n" + *header.original;
  return text;
}

}  // namespace tilescope
