#include "engine/compile/declared_kernels.hpp"

#include <algorithm>
#include <cctype>

#include "engine/compile/source_names.hpp"
#include "engine/compile/source_parts.hpp"
#include "engine/compile/type_spelling.hpp"

namespace tilescope {
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

/// The template parameters of a declaration that begins with "template <…>".
std::vector<std::string> template_parameters_of(const SourcePart& part, const SourceParts& source,
                                                const std::string& text) {
  const auto& tokens = source.tokens;
  auto token = std::ranges::lower_bound(tokens, part.begin, {}, &SourceToken::offset);
  if (!part.is_template || tokens.end() - token < 3 || !token->is("template")) return {};
  const size_t begin = (++token)->end();
  int depth = 0;
  for (; token != tokens.end(); ++token) {
    if (token->is("<") || token->is("(")) ++depth;
    if (token->is(">") || token->is(")")) --depth;
    if (token->is(">>>")) depth -= 3;
    if (depth <= 0) return split_types(std::string_view(text).substr(begin, token->end() - 1 - begin));
  }
  return {};
}

}  // namespace

std::vector<DeclaredKernel> declared_kernels(const std::string& text) {
  const SourceParts source = parts_of_source(text);
  const std::vector<SourceLaunch> launches = launches_of_source(source, text);
  std::vector<DeclaredKernel> kernels;
  for (const SourcePart& part : source.parts) {
    if (!part.is_kernel || part.kind != SourcePart::Kind::function) continue;
    KernelOverload overload{parameters_in(part.parameters), template_parameters_of(part, source, text),
                            part.first_line};
    const auto known = std::ranges::find(kernels, part.name, &DeclaredKernel::name);
    if (known != kernels.end()) {
      if (!part.is_definition) continue;
      if (known->overloads++ == 0) known->all.clear();  // replaces the declaration by this definition
      known->all.push_back(std::move(overload));
      known->is_template = known->is_template || part.is_template;
      continue;
    }
    DeclaredKernel kernel;
    kernel.name = part.name;
    kernel.parameters = overload.parameters;
    kernel.line = part.first_line;
    kernel.is_template = part.is_template;
    kernel.overloads = part.is_definition ? 1 : 0;
    kernel.all.push_back(std::move(overload));
    for (const SourceLaunch& launch : launches)
      if (last_component(launch.kernel) == last_component(part.name) && launch.expression != launch.kernel &&
          std::ranges::find(kernel.instantiations, launch.expression) == kernel.instantiations.end())
        kernel.instantiations.push_back(launch.expression);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace tilescope
