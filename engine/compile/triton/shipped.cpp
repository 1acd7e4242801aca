#include "engine/compile/triton/shipped.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/json_text.hpp"
#include "engine/sha256.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

/// "1024", "True", "2.5", "None" and 'tl.float16' as values; the child evaluates names of triton.language.
json value_of(const std::string& text) {
  if (text == "True" || text == "true") return true;
  if (text == "False" || text == "false") return false;
  if (text == "None") return nullptr;
  const char* end = text.data() + text.size();
  int64_t whole = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, whole); error == std::errc() && stop == end)
    return whole;
  double number = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, number); error == std::errc() && stop == end)
    return number;
  return text;
}

}  // namespace

json compile_question(const CompileRequest& request, const TritonKernel& kernel, int target, bool with_numbers) {
  json arguments = json::array();
  for (const TritonKernel::Argument& argument : kernel.arguments) {
    json one = {{"type", argument.type}};
    if (!argument.type.starts_with('*'))
      one["value"] = argument.value;
    else if (!argument.aligned)
      one["aligned"] = false;
    const bool is_floating = argument.type.starts_with("fp") || argument.type.starts_with("bf");
    if (with_numbers && is_floating) one["number"] = argument.number;
    arguments.push_back(std::move(one));
  }
  json constexprs = json::object(), options = json::object();
  for (const Define& define : kernel.options.constexprs) constexprs[define.name] = value_of(define.value);
  if (kernel.options.num_warps > 0) options["num_warps"] = kernel.options.num_warps;
  if (kernel.options.num_stages > 0) options["num_stages"] = kernel.options.num_stages;
  return {{"do", "compile"},        {"file", request.file},     {"text", request.text}, {"kernel", kernel.name},
          {"arguments", arguments}, {"constexprs", constexprs}, {"options", options},   {"target", target}};
}

std::filesystem::path shipped_file(const std::filesystem::path& root, const json& question) {
  constexpr size_t kDigits = 12;
  const std::string kernel = question.at("kernel");
  return root / "assets" / "triton" /
         fmt::format("{}-{}.json", kernel, sha256_of(json_text(question)).substr(0, kDigits));
}

std::optional<json> read_shipped(const std::filesystem::path& root, const json& question) {
  const auto text = read_text(shipped_file(root, question));
  if (!text) return std::nullopt;
  json answer = json_from(*text);
  if (answer.is_discarded()) return std::nullopt;
  return answer;
}

Result<json> make_shipped(TritonCompiler& compiler, const json& question) {
  auto answer = compiler.ask(question, {});
  if (!answer) return answer;
  const auto assembled = compiler.ask(
      {{"do", "assemble"}, {"ptx", answer->at("ptx")}, {"target", kShippedMachineCode}, {"file", question.at("file")}},
      {});
  if (!assembled) return forward(assembled);
  (*answer)["ptxas"] = assembled->at("log");
  return answer;
}

}  // namespace tilescope
