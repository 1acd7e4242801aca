#include "engine/gpu/whole_grid.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "engine/compile/ptx_text.hpp"

namespace tilescope {
namespace {

/// %envreg1 and %envreg2 hold the address of the grid's barrier; only a cooperative launch sets them.
constexpr std::string_view kGridBarrier = "%envreg";

void skip_blanks(std::string_view text, size_t& at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
}

std::string_view name_at(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_ptx_name_character(text[end])) ++end;
  return text.substr(at, end - at);
}

/// Name and text, with the braces, of every kernel (".entry") or function (".func") that has a body.
std::map<std::string_view, std::string_view> bodies_of(std::string_view ptx, std::string_view keyword) {
  std::map<std::string_view, std::string_view> bodies;
  for (size_t at = ptx.find(keyword); at != std::string_view::npos; at = ptx.find(keyword, at)) {
    at += keyword.size();
    skip_blanks(ptx, at);
    if (at < ptx.size() && ptx[at] == '(') {  // the return value
      at = std::min(ptx.find(')', at), ptx.size() - 1) + 1;
      skip_blanks(ptx, at);
    }
    const std::string_view name = name_at(ptx, at);
    const size_t open = ptx.find_first_of("{;", at);
    if (open == std::string_view::npos || ptx[open] == ';') continue;
    size_t end = open;
    for (int depth = 0; end < ptx.size(); ++end) {
      depth += ptx[end] == '{' ? 1 : ptx[end] == '}' ? -1 : 0;
      if (depth == 0) break;
    }
    bodies[name] = ptx.substr(open, end - open);
    at = end;
  }
  return bodies;
}

/// Whether the text names this register, or a function that reaches it.
bool reaches(std::string_view body, std::string_view reg, std::map<std::string_view, std::string_view>& functions) {
  if (body.find(reg) != std::string_view::npos) return true;
  for (auto& [name, text] : functions) {
    if (text.empty() || body.find(name) == std::string_view::npos) continue;
    const std::string_view callee = std::exchange(text, {});  // each is examined once
    if (reaches(callee, reg, functions)) return true;
  }
  return false;
}

}  // namespace

bool waits_for_whole_grid(std::string_view ptx, std::string_view kernel) {
  if (ptx.find(kGridBarrier) == std::string_view::npos) return false;
  const auto kernels = bodies_of(ptx, ".entry");
  const auto found = kernels.find(kernel);
  if (found == kernels.end()) return false;
  auto functions = bodies_of(ptx, ".func");
  return reaches(found->second, kGridBarrier, functions);
}

}  // namespace tilescope
