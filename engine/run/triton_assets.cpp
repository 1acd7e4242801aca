#include "engine/run/triton_assets.hpp"

#include <nlohmann/json.hpp>

#include "engine/compile/triton/shipped.hpp"
#include "engine/kernel_language.hpp"
#include "engine/run/triton_launch.hpp"

namespace tilescope {

std::vector<nlohmann::json> shipped_questions(const Engine& engine, const Lab& lab, const Rung& rung) {
  std::vector<nlohmann::json> questions;
  if (language_of(source_file_of(lab, rung)) != KernelLanguage::triton) return questions;
  for (const Config& config : {default_config(lab, DeviceKind::sim), opening_config(lab, DeviceKind::sim)}) {
    Request request;
    request.lab = lab.name;
    request.rung = rung.name;
    request.config = config;
    const auto plan = engine.plan(request);
    if (!plan) continue;
    const auto kernels = triton_kernels(*plan);
    if (!kernels) continue;
    const CompileRequest compile{.text = plan->source_text, .file = plan->source_file};
    for (const TritonKernel& kernel : *kernels)
      questions.push_back(compile_question(compile, kernel, kShippedCapability));
  }
  return questions;
}

}  // namespace tilescope
