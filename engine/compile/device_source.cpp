#include "engine/compile/device_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/compile/source_key.hpp"
#include "engine/compile/stand_in_headers.hpp"
#include "engine/sha256.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

struct Inclusion {
  std::string name;
  bool quoted = false;
};

std::vector<Inclusion> inclusions_of(const SourceParts& source) {
  std::vector<Inclusion> inclusions;
  for (const SourceToken& token : source.tokens) {
    if (directive_name(token) != "include") continue;
    const std::string_view rest = directive_rest(token);
    if (rest.empty() || (rest.front() != '"' && rest.front() != '<')) continue;
    const size_t close = rest.find(rest.front() == '<' ? '>' : '"', 1);
    if (close != std::string_view::npos)
      inclusions.push_back({std::string(rest.substr(1, close - 1)), rest.front() == '"'});
  }
  return inclusions;
}

std::optional<std::string> read_text(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

/// What cannot be for the device, whatever else is said about it.
bool is_for_the_host(const SourcePart& part, const std::set<std::string>& device_functions) {
  if (part.on_device) return false;
  if (part.host_only && part.kind != SourcePart::Kind::type) return true;
  if (part.is_member) return false;
  if (part.kind == SourcePart::Kind::variable) return !part.is_const && !part.is_constexpr;
  if (part.kind != SourcePart::Kind::function || part.is_constexpr) return false;
  if (part.is_const && !part.is_definition) return false;  // const int size(5);
  return !device_functions.contains(part.name);
}

bool holds_line(const SourcePart& part, uint32_t line) { return part.first_line <= line && line <= part.last_line; }

/// The names in quotes of a compiler's message: identifier "count" is undefined.
std::vector<std::string> quoted_names(const std::string& message) {
  std::vector<std::string> names;
  for (size_t open = message.find('"'); open != std::string::npos;) {
    const size_t close = message.find('"', open + 1);
    if (close == std::string::npos) break;
    names.push_back(message.substr(open + 1, close - open - 1));
    open = message.find('"', close + 1);
  }
  return names;
}

std::string last_component(const std::string& name) {
  const size_t at = name.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
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
  std::set<std::string> device_functions;
  for (const SourcePart& part : file.source.parts)
    if (part.kind == SourcePart::Kind::function && part.on_device) device_functions.insert(part.name);
  for (size_t i = 0; i < file.source.parts.size(); ++i)
    if (is_for_the_host(file.source.parts[i], device_functions)) blank(file, i);
  return file;
}

void DeviceSource::blank(File& file, size_t index) {
  const SourcePart& part = file.source.parts[index];
  file.dropped[index] = true;
  // Directives stay: a declaration may hold one half of an #if, or include what others need.
  std::vector<std::pair<size_t, size_t>> directives;
  for (const SourceToken& token : file.source.tokens)
    if (token.kind == SourceToken::Kind::directive && token.offset >= part.begin && token.offset < part.end)
      directives.emplace_back(token.offset, token.end());
  size_t next = 0;
  for (size_t i = part.begin; i < part.end; ++i) {
    while (next < directives.size() && i >= directives[next].second) ++next;
    if (next < directives.size() && i >= directives[next].first) continue;
    if (file.device_text[i] != '\n' && file.device_text[i] != '\r') file.device_text[i] = ' ';
  }
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
      definitions.erase(named);  // by something else than its definition
  for (size_t i = 0; i < file.source.parts.size(); ++i) {
    const SourcePart& part = file.source.parts[i];
    if (part.is_kernel && part.is_definition && definitions.contains(part.name) &&
        std::find(wanted.begin(), wanted.end(), part.name) == wanted.end())
      blank(file, i);
  }
}

DeviceSource::DeviceSource(const CompileRequest& request, const std::vector<std::string>& toolkit_folders)
    : main_(read_file(request.file, request.file, request.text)),
      toolkit_folders_(toolkit_folders),
      headers_(standard_stand_ins()) {
  leave_kernels(main_, request.only_kernels);
  add_headers(main_, {}, include_folders_of(request));
  for (const File& header : included_)
    if (header.device_text != *header.original) give_headers();
  add_prelude();
}

/// A header that holds host code is given to NVRTC as text, and so are the others of the user, since a text is in no
/// folder where those beside it could be found.
void DeviceSource::give_headers() {
  for (const File& header : included_) headers_[header.name] = header.device_text;
}

/// Follows the inclusions of a file of the user.
void DeviceSource::add_headers(const File& file, const std::string& folder, const std::vector<std::string>& folders) {
  for (const Inclusion& inclusion : inclusions_of(file.source)) {
    if (!seen_.insert(inclusion.name).second) continue;
    std::vector<std::string> candidates;
    if (inclusion.quoted && !folder.empty()) candidates.push_back(folder);
    candidates.insert(candidates.end(), folders.begin(), folders.end());
    std::optional<std::string> text;
    fs::path found;
    for (const std::string& candidate : candidates) {
      found = fs::path(candidate) / inclusion.name;
      if ((text = read_text(found))) break;
    }
    if (!text) {
      add_foreign_header(inclusion.name);
      continue;
    }
    // A deque, so that the reference stays good.
    included_.push_back(read_file(inclusion.name, found.lexically_normal().string(), std::move(*text)));
    const File& header = included_.back();
    add_headers(header, found.parent_path().string(), folders);
  }
}

void DeviceSource::add_foreign_header(const std::string& name) {
  if (headers_.contains(name)) return;
  if (auto text = library_stand_in(name)) {
    uses_library_ = true;
    headers_[name] = std::move(*text);
    return;
  }
  std::error_code ignored;
  for (const std::string& folder : toolkit_folders_)
    if (fs::exists(fs::path(folder) / name, ignored)) return;
  if (toolkit_folders_.empty()) return;  // nothing is known about what NVRTC can find
  headers_[name] = "";
  missing_.push_back(name);
}

/// The tokens of the device part of the user's files. What macros stand for counts as code; their names go to `own`.
std::vector<SourceToken> DeviceSource::device_tokens(std::set<std::string, std::less<>>& own) const {
  std::vector<const File*> files{&main_};
  for (const File& file : included_) files.push_back(&file);
  std::vector<SourceToken> tokens;
  for (const File* file : files) {
    const std::vector<SourceToken> found = source_tokens(file->device_text);
    for (const SourceToken& token : found) {
      if (directive_name(token) != "define") continue;
      const std::vector<SourceToken> words = source_tokens(directive_rest(token));
      if (!words.empty()) own.emplace(words.front().text);
      if (words.size() > 1) tokens.insert(tokens.end(), words.begin() + 1, words.end());
    }
    tokens.insert(tokens.end(), found.begin(), found.end());
  }
  return tokens;
}

/// Declares what the device code names and nvcc would bring along. A name that the file declares itself is left to it.
void DeviceSource::add_prelude() {
  std::set<std::string, std::less<>> used, standard, own;
  bool all_standard = false;
  const std::vector<SourceToken> tokens = device_tokens(own);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != SourceToken::Kind::name) continue;
    const std::string name(tokens[i].text);
    const bool after_std = i >= 2 && tokens[i - 1].is("::") && tokens[i - 2].is("std") &&
                           !(i >= 4 && tokens[i - 3].is("::") && tokens[i - 4].kind == SourceToken::Kind::name);
    (after_std ? standard : used).insert(name);
    if (i >= 2 && name == "std" && tokens[i - 1].is("namespace") && tokens[i - 2].is("using")) all_standard = true;
    if (i + 1 >= tokens.size() || i == 0) continue;
    // typedef unsigned uint32_t;   using uint32_t = …   const float INFINITY = …
    const bool after_type = tokens[i - 1].kind == SourceToken::Kind::name && !tokens[i - 1].is("return");
    if (after_type && (tokens[i + 1].is("=") || tokens[i + 1].is(";"))) own.insert(name);
  }
  for (const KnownName& known : known_names())
    if (used.contains(known.name) && !own.contains(known.name)) prelude_ += std::string(known.declaration) + "\n";
  add_half_types(used);
  if (all_standard)  // others may be names of the file's own, or are in the global namespace anyway
    for (const char* name : {"min", "max", "swap", "clamp", "numeric_limits", "pair", "make_pair"})
      if (used.contains(name)) standard.insert(name);
  std::set<std::string> declarations;
  for (const std::string& name : standard) {
    std::string declaration = standard_name_declaration(name);
    if (!declaration.empty() && declarations.insert(declaration).second) prelude_ += declaration + "\n";
  }
}

/// A header that was left out may have brought the types of half precision along, as those of PyTorch and cuBLAS do.
void DeviceSource::add_half_types(const std::set<std::string, std::less<>>& used) {
  if (missing_.empty() && !uses_library_) return;
  const auto any = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return used.contains(name); });
  };
  if (!seen_.contains("cuda_fp16.h") && any({"half", "__half", "half2", "__half2"}))
    prelude_ += "#include <cuda_fp16.h>\n";
  if (!seen_.contains("cuda_bf16.h") && any({"__nv_bfloat16", "__nv_bfloat162"}))
    prelude_ += "#include <cuda_bf16.h>\n";
}

std::optional<size_t> DeviceSource::droppable_part(const File& file, uint32_t line) {
  std::optional<size_t> best;
  size_t owner = file.source.parts.size();  // the class of the members that follow
  for (size_t i = 0; i < file.source.parts.size(); ++i) {
    const SourcePart& part = file.source.parts[i];
    if (!part.is_member) owner = i;
    if (!holds_line(part, line) || file.dropped[i]) continue;
    if (part.is_member && part.kind != SourcePart::Kind::function) continue;  // a class keeps its data, or goes whole
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

bool DeviceSource::drop(std::span<const CompileMessage> errors) {
  bool dropped = false;
  for (const CompileMessage& error : errors) {
    if (error.severity != CompileMessage::Severity::error) continue;
    for (size_t i = 0; i <= included_.size(); ++i) {
      File& file = i == 0 ? main_ : included_[i - 1];
      if (error.file != file.name && fs::path(error.file).lexically_normal() != file.path) continue;
      const auto part = droppable_part(file, error.line);
      if (!part) continue;
      blank(file, *part);
      reasons_[last_component(file.source.parts[*part].name)] =
          fmt::format("{}({}): {}", error.file, error.line, error.text);
      if (i != 0) give_headers();
      dropped = true;
    }
  }
  return dropped;
}

Phrase DeviceSource::notes(std::span<const CompileMessage> errors) const {
  Phrase text;
  const auto add = [&](const Phrase& note) { text = phrase("{}\n{}", text, note); };
  std::set<std::string> named;
  bool launches = false, shared = false;
  for (const CompileMessage& error : errors) {
    if (error.severity != CompileMessage::Severity::error) continue;
    if (error.text.find("device-side kernel launch") != std::string::npos) launches = true;
    if (error.text.find("uses too much shared data") != std::string::npos) shared = true;
    for (std::string& name : quoted_names(error.text)) named.insert(std::move(name));
  }
  if (shared)
    add(
        Phrase("Arrays that are declared __shared__ may take 49152 bytes in a block; more, up to 232448, has to be "
               "extern __shared__, with its size given by --shared."));
  if (launches) add(Phrase("A kernel that launches kernels (dynamic parallelism) cannot be run here."));
  const auto explain = [&](const File& file) {
    for (size_t i = 0; i < file.source.parts.size(); ++i) {
      const SourcePart& part = file.source.parts[i];
      const std::string name = last_component(part.name);
      if (!file.dropped[i] || !named.erase(name)) continue;
      if (const auto reason = reasons_.find(name); reason != reasons_.end())
        add(phrase("'{}' was left out, because it does not compile for the device: {}", name, reason->second));
      else if (part.kind == SourcePart::Kind::variable)
        add(phrase("'{}' in line {} of {} is for the host: it is not marked __device__ or const.", name,
                   part.first_line, file.name));
      else
        add(phrase("'{}' in line {} of {} is for the host: it is not marked __device__.", name, part.first_line,
                   file.name));
    }
  };
  explain(main_);
  for (const File& file : included_) explain(file);
  if (!missing_.empty()) {
    std::string names;
    for (const std::string& name : missing_) names += (names.empty() ? "" : ", ") + name;
    add(phrase("Not found, and taken as empty: {}; give the folder with --include.", names));
  }
  return text;
}

namespace {

/// "const float* x, int n" → its parameters, each as written on one line.
std::vector<std::string> parameters_in(const std::string& list) {
  std::vector<std::string> parameters;
  int depth = 0;
  size_t begin = std::string::npos, end = 0;
  const auto finish = [&] {
    if (begin == std::string::npos) return;
    std::string text;
    for (const char c : list.substr(begin, end - begin)) {
      const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (!blank) text += c;
      if (blank && !text.ends_with(' ')) text += ' ';
    }
    parameters.push_back(std::move(text));
    begin = std::string::npos;
  };
  for (const SourceToken& token : source_tokens(list)) {
    if (token.is("(") || token.is("<") || token.is("[") || token.is("{")) ++depth;
    if (token.is(")") || token.is(">") || token.is("]") || token.is("}")) --depth;
    if (token.is(",") && depth == 0) {
      finish();
      continue;
    }
    if (begin == std::string::npos) begin = token.offset;
    end = token.end();
  }
  finish();
  if (parameters.size() == 1 && parameters[0] == "void") parameters.clear();
  return parameters;
}

}  // namespace

std::string DeviceSource::hash() const {
  std::string all = fmt::format("{}:{}{}:{}", text().size(), text(), prelude_.size(), prelude_);
  for (const auto& [name, text] : headers_) all += fmt::format("{}:{}{}:{}", name.size(), name, text.size(), text);
  return sha256_of(all);
}

std::map<std::string, std::string> DeviceSource::header_paths() const {
  std::map<std::string, std::string> paths;
  for (const File& header : included_)
    if (headers_.contains(header.name)) paths[header.name] = header.path;
  return paths;
}

std::string DeviceSource::original_text() const {
  std::string text = *main_.original;
  for (const File& header : included_) text += "\n" + *header.original;
  return text;
}

std::vector<DeclaredKernel> declared_kernels(const std::string& text) {
  const SourceParts source = parts_of_source(text);
  const std::vector<SourceLaunch> launches = launches_of_source(source, text);
  std::vector<DeclaredKernel> kernels;
  for (const SourcePart& part : source.parts) {
    if (!part.is_kernel || part.kind != SourcePart::Kind::function) continue;
    const auto same = [&](const DeclaredKernel& one) { return one.name == part.name; };
    const auto known = std::find_if(kernels.begin(), kernels.end(), same);
    if (known != kernels.end()) {
      known->overloads += part.is_definition ? 1 : 0;
      continue;
    }
    DeclaredKernel kernel;
    kernel.name = part.name;
    kernel.parameters = parameters_in(part.parameters);
    kernel.line = part.first_line;
    kernel.is_template = part.is_template;
    kernel.overloads = part.is_definition ? 1 : 0;
    for (const SourceLaunch& launch : launches)
      if (last_component(launch.kernel) == last_component(part.name) && launch.expression != launch.kernel &&
          std::find(kernel.instantiations.begin(), kernel.instantiations.end(), launch.expression) ==
              kernel.instantiations.end())
        kernel.instantiations.push_back(launch.expression);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace tilescope
