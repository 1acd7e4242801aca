#include "app/views/operator/operator_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/torch_operator/torch_reference.hpp"

namespace tilescope {
namespace {

bool same_operator(const Request& one, const Request& other) {
  return one.lab == other.lab && one.rung == other.rung && one.config == other.config && one.broken == other.broken &&
         one.edited_source == other.edited_source && one.own_lab == other.own_lab && one.gpu == other.gpu;
}

}  // namespace

bool is_exported_lab(const std::string& lab) { return find_torch_reference(lab) != nullptr; }

bool is_operator_line(std::string_view line) {
  static constexpr std::array<std::string_view, 11> kWords{
      "@torch.library.", "torch.library.register_", "definitions.define(", "implementations.impl(", "op.register_",
      "wrap_triton(",    "KERNELS.launch",          "cuLaunchKernel",      "cuModuleLoadData",      "SCHEMA = \"",
      "@triton.jit"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

bool OperatorFiles::take(const Engine& engine, const Request& request, OperatorWay way) {
  bool taken = false;
  if (auto made = task_.poll()) {
    taken = true;
    folder_.reset();
    problem_.reset();
    if (*made)
      folder_ = std::move(**made);
    else
      problem_ = made->error();
  }
  if (task_.running() || (request_ && way_ == way && same_operator(*request_, request))) return taken;
  request_ = request;
  way_ = way;
  task_.start([&engine, request, way](const std::stop_token&) {
    return operator_folder(engine, request, way, export_command(request, way, "FOLDER"));
  });
  return taken;
}

std::vector<std::string> OperatorFiles::names() const {
  std::vector<std::string> names;
  if (!folder_) return names;
  for (const SourceFile& file : folder_->files) names.push_back(file.file);
  return names;
}

std::string usual_export_folder(const Request& request, OperatorWay way) {
  return fmt::format("{}-{}", request.lab, name_of(way));
}

}  // namespace tilescope
