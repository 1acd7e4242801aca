// Writes assets/triton: the PTX, TTIR and TTGIR of every Triton rung at its default settings, for machines without
// Triton. Needs Triton; tests/labs/triton_assets_test.cpp compares the files with what it makes.
//
//     build/release/make_triton_assets            writes what is missing, deletes what no rung has at its defaults
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/compile/triton/shipped.hpp"
#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/triton_assets.hpp"

using namespace tilescope;
using nlohmann::json;

int main() {
  const auto engine = Engine::open({});
  const auto origin = engine->triton().triton_origin({});
  if (!origin) {
    std::cerr << origin.error().message << '\n' << origin.error().hint << '\n';
    return 1;
  }
  std::set<std::filesystem::path> wanted;
  for (const Lab& lab : labs())
    for (const Rung& rung : lab.rungs) {
      for (const json& question : shipped_questions(*engine, lab, rung)) {
        const auto file = shipped_file(engine->root(), question);
        if (!wanted.insert(file).second || std::filesystem::exists(file)) continue;
        const auto answer = make_shipped(engine->triton(), question);
        if (!answer) {
          std::cerr << lab.name << " " << rung.name << ": " << answer.error().message << '\n';
          return 1;
        }
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << answer->dump(1) << '\n';
        std::cout << lab.name << " " << rung.name << ": " << file.filename().string() << '\n';
      }
    }
  for (const auto& entry : std::filesystem::directory_iterator(engine->root() / "assets" / "triton"))
    if (!wanted.contains(entry.path())) std::filesystem::remove(entry.path());
}
