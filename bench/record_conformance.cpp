// Writes to standard output what the GPU of this machine gives for the cases of tests/ptx/conformance_cases.hpp.
//
//   record_conformance > tests/ptx/conformance_h200.txt
#include <cstdio>
#include <ctime>

#include "engine/gpu/gpu_executor.hpp"
#include "tests/ptx/conformance_run.hpp"

int main() {
  using namespace tilescope;
  const auto gpu = open_gpu();
  if (!gpu) {
    std::fprintf(stderr, "%s\n", gpu.error().message.c_str());
    return 3;
  }
  const DeviceInfo device = (*gpu)->device();
  char date[16] = {};
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof(date), "%F", std::gmtime(&now));
  std::printf("# %s, driver %s, %s, written by record_conformance\n", device.name.c_str(),
              device.driver_version.c_str(), date);
  const auto cases = conformance_cases();
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto results = run_conformance_case(**gpu, cases[i], i);
    if (results)
      std::printf("%s\n", conformance_line(cases[i], *results).c_str());
    else
      std::fprintf(stderr, "%s: %s\n", cases[i].opcode.c_str(), results.error().message.c_str());
  }
  return 0;
}
