// Declarations of names that device code uses and nvcc would provide, prepended to the source (see device_source.hpp).
#include <algorithm>

#include "engine/compile/device_source.hpp"
#include "engine/compile/stand_in_headers.hpp"

namespace tilescope {

/// The tokens of the device part of the user's files. Macro definitions count as code; macro names are added to `own`.
std::vector<SourceToken> DeviceSource::device_tokens(std::set<std::string, std::less<>>& own) const {
  std::vector<SourceToken> tokens;
  for (const File* file : files()) {
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

/// Declares names that device code uses and nvcc would provide, unless the file declares them itself.
void DeviceSource::add_prelude() {
  std::set<std::string, std::less<>> used, standard, thrust, own;
  bool all_standard = false, all_thrust = false;
  const std::vector<SourceToken> tokens = device_tokens(own);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != SourceToken::Kind::name) continue;
    const std::string name(tokens[i].text);
    const auto after = [&](std::string_view space) {
      return i >= 2 && tokens[i - 1].is("::") && tokens[i - 2].is(space) &&
             !(i >= 4 && tokens[i - 3].is("::") && tokens[i - 4].kind == SourceToken::Kind::name);
    };
    (after("std") ? standard : after("thrust") ? thrust : used).insert(name);
    const bool after_using = i >= 2 && tokens[i - 1].is("namespace") && tokens[i - 2].is("using");
    if (after_using && name == "std") all_standard = true;
    if (after_using && name == "thrust") all_thrust = true;
    if (i + 1 >= tokens.size() || i == 0) continue;
    // typedef unsigned uint32_t;   using uint32_t = …   const float INFINITY = …
    const bool after_type = tokens[i - 1].kind == SourceToken::Kind::name && !tokens[i - 1].is("return");
    if (after_type && (tokens[i + 1].is("=") || tokens[i + 1].is(";"))) own.insert(name);
  }
  for (const KnownName& known : known_names())
    if (used.contains(known.name) && !own.contains(known.name)) prelude_ += std::string(known.declaration) + "\n";
  add_half_types(used);
  if (all_standard)  // other names may be the file's own, or are in the global namespace anyway
    for (const char* name : {"min", "max", "swap", "clamp", "numeric_limits", "pair", "make_pair"})
      if (used.contains(name)) standard.insert(name);
  if (all_thrust)
    for (const char* name : {"complex", "tuple", "pair"})
      if (used.contains(name) && !own.contains(name)) thrust.insert(name);
  std::set<std::string> declarations;
  for (const std::string& name : standard) {
    std::string declaration = standard_name_declaration(name);
    if (!declaration.empty() && declarations.insert(declaration).second) prelude_ += declaration + "\n";
  }
  if (all_thrust) prelude_ += "namespace thrust {}\n";
  for (const std::string& name : thrust) {
    std::string declaration = thrust_name_declaration(name);
    if (!declaration.empty() && declarations.insert(declaration).second) prelude_ += declaration + "\n";
  }
}

/// An omitted header may have included the half precision types, as those of PyTorch and cuBLAS do.
void DeviceSource::add_half_types(const std::set<std::string, std::less<>>& used) {
  if (missing_.empty() && !uses_library_) return;
  const auto any = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return used.contains(name); });
  };
  if (!foreign_.contains("cuda_fp16.h") && any({"half", "__half", "half2", "__half2"}))
    prelude_ += "#include <cuda_fp16.h>\n";
  if (!foreign_.contains("cuda_bf16.h") && any({"__nv_bfloat16", "__nv_bfloat162"}))
    prelude_ += "#include <cuda_bf16.h>\n";
}

}  // namespace tilescope
