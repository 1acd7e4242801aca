// Writes to standard output what the GPU of this machine gives: a hash of the results of every case.
//
//   record_conformance forms > tests/ptx/forms_h200.txt              every form of tests/ptx/forms.txt, and sequences
//   record_conformance cases > tests/ptx/conformance_h200.txt        the cases of tests/ptx/conformance_cases.hpp
//
// A case that fails is named on standard error, and the others go on.
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <string_view>

#include "engine/gpu/gpu_executor.hpp"
#include "tests/ptx/conformance_run.hpp"
#include "tests/ptx/form_run.hpp"

namespace {

using namespace tilescope;

void record_cases(Executor& gpu) {
  const auto cases = conformance_cases();
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto results = run_conformance_case(gpu, cases[i], i);
    if (results)
      std::printf("%s\n", conformance_line(cases[i], *results).c_str());
    else
      std::fprintf(stderr, "%s: %s\n", cases[i].opcode.c_str(), results.error().message.c_str());
  }
}

void record_forms(Executor& gpu) {
  const auto cases = form_cases();
  size_t failed = 0;
  FormRunner(gpu).run(
      cases,
      [](const FormCase& test, const std::string& hash) { std::printf("%s %s\n", hash.c_str(), test.name.c_str()); },
      [&](const FormCase& test, const std::string& message) {
        ++failed;
        std::fprintf(stderr, "%s: %s\n", test.name.c_str(), message.c_str());
      });
  std::fprintf(stderr, "%zu cases, %zu of them failed\n", cases.size(), failed);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count == 2 ? arguments[1] : "";
  if (what != "forms" && what != "cases") {
    std::fprintf(stderr, "usage: record_conformance forms|cases\n");
    return 2;
  }
  const auto gpu = open_gpu();
  if (!gpu) {
    std::fprintf(stderr, "%s\n", gpu.error().message.c_str());
    return 3;
  }
  const DeviceInfo device = (*gpu)->device();
  char date[16] = {};
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof(date), "%F", std::gmtime(&now));
  std::printf("# %s, driver %s, %s, written by record_conformance %s\n", device.name.c_str(),
              device.driver_version.c_str(), date, arguments[1]);
  what == "forms" ? record_forms(**gpu) : record_cases(**gpu);
  return 0;
}
