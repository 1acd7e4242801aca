#include "engine/compile/ptx_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>

namespace tilescope {
namespace {

uint32_t bytes_of_type(std::string_view type) {
  static const std::map<std::string_view, uint32_t> bytes = {
      {".b8", 1},   {".u8", 1},    {".s8", 1},     {".b16", 2},        {".u16", 2},    {".s16", 2},
      {".f16", 2},  {".bf16", 2},  {".b32", 4},    {".u32", 4},        {".s32", 4},    {".f32", 4},
      {".b64", 8},  {".u64", 8},   {".s64", 8},    {".f64", 8},        {".f16x2", 4},  {".bf16x2", 4},
      {".tf32", 4}, {".b128", 16}, {".texref", 8}, {".samplerref", 8}, {".surfref", 8}};
  const auto found = bytes.find(type);
  return found == bytes.end() ? 0 : found->second;
}

/// ".param .align 8 .b8 spill_param_0[56]" → 56; ".param .u64 .ptr .global .align 4 add_param_0" → 8.
uint32_t parameter_size(std::string_view declaration) {
  uint32_t size = 0;
  for (size_t i = 0; i < declaration.size();) {
    if (declaration[i] != '.') {
      ++i;
      continue;
    }
    size_t end = i + 1;
    while (end < declaration.size() && is_ptx_name_character(declaration[end])) ++end;
    if (size == 0) size = bytes_of_type(declaration.substr(i, end - i));
    i = end;
  }
  const size_t bracket = declaration.find('[');
  if (bracket == std::string_view::npos) return size;
  uint32_t count = 1;
  std::from_chars(declaration.data() + bracket + 1, declaration.data() + declaration.size(), count);
  return size * count;
}

/// Whether the value of this parameter is an address: "ld.param.b64 %rd1, [add_param_0]; cvta.to.global.u64 %rd2,
/// %rd1;"
bool is_address(std::string_view body, std::string_view parameter) {
  const size_t use = body.find(std::string("[") + std::string(parameter) + "]");
  const size_t begin = use == std::string_view::npos ? use : body.rfind("ld.param", use);
  if (begin == std::string_view::npos) return false;
  const size_t at = body.find('%', begin);
  if (at > use) return false;
  const std::string value(body.substr(at, body.find(',', at) - at));
  for (size_t cast = body.find("cvta.to.global", use); cast != std::string_view::npos;
       cast = body.find("cvta.to.global", cast + 1)) {
    const std::string_view statement = body.substr(cast, body.find(';', cast) - cast);
    if (statement.ends_with(" " + value)) return true;
  }
  return false;
}

/// `list`: what stands in the brackets of .entry.
void read_parameters(PtxKernel& kernel, std::string_view list, std::string_view body) {
  while (!list.empty()) {
    const std::string_view whole = list.substr(0, list.find(','));
    list.remove_prefix(std::min(whole.size() + 1, list.size()));
    const size_t keyword = whole.find(".param");
    if (keyword == std::string_view::npos) continue;
    const std::string_view declaration = whole.substr(keyword + 6);
    PtxParameter parameter{.bytes = parameter_size(declaration),
                           .is_array = declaration.find('[') != std::string_view::npos,
                           .is_pointer = declaration.find(".ptr") != std::string_view::npos};
    for (size_t i = 0; i < declaration.size() && parameter.type.empty(); ++i) {
      size_t end = i + 1;
      while (end < declaration.size() && is_ptx_name_character(declaration[end])) ++end;
      const std::string_view word = declaration.substr(i, end - i);
      if (declaration[i] == '.' && bytes_of_type(word) > 0) parameter.type = word;
    }
    size_t end = std::min(declaration.find('['), declaration.size());
    while (end > 0 && !is_ptx_name_character(declaration[end - 1])) --end;
    size_t begin = end;
    while (begin > 0 && is_ptx_name_character(declaration[begin - 1])) --begin;
    if (parameter.bytes == sizeof(uint64_t) && !parameter.is_array)
      parameter.is_pointer |= is_address(body, declaration.substr(begin, end - begin));
    kernel.parameter_bytes.push_back(parameter.bytes);
    kernel.parameters.push_back(std::move(parameter));
  }
}

}  // namespace

std::vector<PtxKernel> kernels_of_ptx(std::string_view ptx) {
  constexpr std::string_view kKeyword = ".entry";
  std::vector<PtxKernel> kernels;
  for (size_t at = ptx.find(kKeyword); at != std::string_view::npos; at = ptx.find(kKeyword, at)) {
    at += kKeyword.size();
    while (at < ptx.size() && std::isspace(static_cast<unsigned char>(ptx[at])) != 0) ++at;
    size_t end = at;
    while (end < ptx.size() && is_ptx_name_character(ptx[end])) ++end;
    PtxKernel kernel{.name = std::string(ptx.substr(at, end - at))};
    const size_t body = ptx.find_first_of("{;", end);  // ';' ends a declaration without a body
    if (kernel.name.empty() || body == std::string_view::npos || ptx[body] == ';') continue;
    const size_t open = ptx.find('(', end);
    kernel.line = static_cast<uint32_t>(std::count(ptx.begin(), ptx.begin() + static_cast<ptrdiff_t>(at), '\n') + 1);
    if (open < body)
      read_parameters(kernel, ptx.substr(open, ptx.find(')', open) - open),
                      ptx.substr(body, ptx.find(kKeyword, body) - body));
    kernels.push_back(std::move(kernel));
    at = body;
  }
  return kernels;
}

bool is_ptx_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

std::vector<KernelInfo> kernel_infos_of_ptx(std::string_view ptx) {
  std::vector<KernelInfo> infos;
  for (PtxKernel& kernel : kernels_of_ptx(ptx)) {
    KernelInfo info;
    info.name = std::move(kernel.name);
    info.parameter_bytes = std::move(kernel.parameter_bytes);
    infos.push_back(std::move(info));
  }
  return infos;
}

std::array<uint32_t, 3> block_of_ptx(std::string_view ptx, std::string_view kernel) {
  const size_t entry = ptx.find(".entry " + std::string(kernel));
  if (entry == std::string_view::npos) return {};
  const std::string_view head = ptx.substr(entry, ptx.find('{', entry) - entry);
  for (const std::string_view word : {".reqntid", ".maxntid"}) {
    size_t at = head.find(word);
    if (at == std::string_view::npos) continue;
    at += word.size();
    std::array<uint32_t, 3> block{1, 1, 1};
    for (uint32_t& extent : block) {
      at = std::min(head.find_first_not_of(" \t,", at), head.size());
      const auto [end, problem] = std::from_chars(head.data() + at, head.data() + head.size(), extent);
      if (problem != std::errc()) break;
      at = static_cast<size_t>(end - head.data());
    }
    return block;
  }
  return {};
}

SourcePlace source_place_of_ptx_line(std::string_view ptx, uint32_t ptx_line) {
  uint32_t file_number = 0;
  SourcePlace place;
  std::map<uint32_t, std::string> files;
  uint32_t line_number = 0;
  for (size_t at = 0; at < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', at), ptx.size());
    std::string_view line = ptx.substr(at, end - at);
    at = end + 1;
    ++line_number;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool is_loc = line.starts_with(".loc") && line_number <= ptx_line;
    const bool is_file = line.starts_with(".file");
    if (!is_loc && !is_file) continue;
    line.remove_prefix(5);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    uint32_t first = 0;
    const char* rest = std::from_chars(line.data(), line.data() + line.size(), first).ptr;
    line.remove_prefix(static_cast<size_t>(rest - line.data()));
    if (is_loc) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      file_number = first;
      std::from_chars(line.data(), line.data() + line.size(), place.line);
    } else if (const size_t quote = line.find('"'); quote != std::string_view::npos) {
      files[first] = std::string(line.substr(quote + 1, line.find('"', quote + 1) - quote - 1));
    }
  }
  place.file = files[file_number];
  return place;
}

std::string with_given_file_name(std::string ptx, const std::string& name, const std::string& file) {
  std::error_code ignored;
  const std::string written = "\"" + (std::filesystem::current_path(ignored) / name).string() + "\"";
  const std::string given = "\"" + file + "\"";
  for (size_t at = ptx.find(".file"); at != std::string::npos; at = ptx.find(".file", at + 1)) {
    const size_t end = ptx.find('\n', at);
    const size_t found = ptx.find(written, at);
    if (found < end) ptx.replace(found, written.size(), given);
  }
  return ptx;
}

}  // namespace tilescope
