// Writes this machine's GPU results to standard output: a hash of the results of every case.
//
//   record_conformance forms > tests/ptx/forms_h200.txt              every form of tests/ptx/forms.txt, and sequences
//   record_conformance cases > tests/ptx/conformance_h200.txt        the cases of tests/ptx/conformance_cases.hpp
//
// and, to find where a form differs,
//
//   record_conformance values LIST [sim]          every result of the forms named in a file, one form per line
//
// A case that fails is reported on standard error, and the others continue.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "engine/gpu/gpu_executor.hpp"
#include "engine/sim/simulator.hpp"
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
      [](const FormCase& test, const FormRunner::Values& results) {
        std::printf("%s %s\n", FormRunner::hash(results).c_str(), test.name.c_str());
      },
      [&](const FormCase& test, const std::string& message) {
        ++failed;
        std::fprintf(stderr, "%s: %s\n", test.name.c_str(), message.c_str());
      });
  std::fprintf(stderr, "%zu cases, %zu of them failed\n", cases.size(), failed);
}

/// One line per form: its name, then each thread's results.
void print_values(Executor& executor, const char* list) {
  std::set<std::string> wanted;
  std::ifstream file(list);
  for (std::string line; std::getline(file, line);) wanted.insert(line);
  std::vector<FormCase> cases;
  for (auto& test : form_cases())
    if (wanted.contains(test.name)) cases.push_back(std::move(test));
  FormRunner(executor).run(
      cases,
      [](const FormCase& test, const FormRunner::Values& results) {
        std::printf("%s:", test.name.c_str());
        for (uint64_t value : results) std::printf(" %llx", static_cast<unsigned long long>(value));
        std::printf("\n");
      },
      [](const FormCase& test, const std::string& message) {
        std::fprintf(stderr, "%s: %s\n", test.name.c_str(), message.c_str());
      });
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count == 2 ? arguments[1] : "";
  if (count >= 3 && std::string_view(arguments[1]) == "values") {
    const bool simulated = count == 4 && std::string_view(arguments[3]) == "sim";
    const auto executor = simulated ? Result<std::shared_ptr<Executor>>(make_simulator(0)) : open_gpu();
    if (executor) print_values(**executor, arguments[2]);
    return executor ? 0 : 3;
  }
  if (what != "forms" && what != "cases") {
    std::fprintf(stderr, "usage: record_conformance forms|cases|values LIST [sim]\n");
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
