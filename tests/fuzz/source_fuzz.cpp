// Arbitrary bytes as a CUDA file that is being typed: reading a form from it must neither crash nor hang.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/sandbox/reading/host_suggestion.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const tilescope::SourceFacts facts =
      tilescope::read_source_facts(std::string(reinterpret_cast<const char*>(data), size));
  for (const tilescope::SourceKernel& kernel : facts.kernels) {
    std::vector<tilescope::ParameterType> parameters;
    for (const std::string& declaration : kernel.parameters)
      parameters.push_back(tilescope::read_parameter(declaration, facts.types));
    const tilescope::KernelReading reading = tilescope::read_kernel(kernel, facts, parameters);
    (void)tilescope::fields_from_host(kernel, facts, parameters, reading);
    (void)tilescope::template_arguments_from_host(kernel);
  }
  return 0;
}
