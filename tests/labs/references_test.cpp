// Every reference that a lab names exists in its library or in the Python child.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <iterator>
#include <set>
#include <sstream>

#include "engine/reference/product.hpp"
#include "engine/reference/registry.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

/// What a line of Python prints, with the references' folder on its path; nothing without Python.
std::optional<std::string> python(const std::string& line) {
  const std::string folder = (Engine::open({})->root() / "assets" / "python").string();
  const std::string command = "cd '" + folder + "' && python3 -B -c '" + line + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  for (std::array<char, 4096> part{}; fgets(part.data(), part.size(), pipe) != nullptr;) text += part.data();
  if (pclose(pipe) == 127 << 8) return std::nullopt;
  return text;
}

/// The operations that a lab asks of a reference, over all values of its choices.
std::set<std::string> operations_of(const Lab& lab, const ReferenceSpec& reference) {
  std::set<std::string> operations;
  Config config = default_config(lab, DeviceKind::gpu);
  operations.insert(operation_of(reference, config));
  for (const Param& outer : lab.params)
    for (const Param& inner : lab.params) {
      if (outer.choices.empty() || inner.choices.empty()) continue;
      Config chosen = config;
      for (const int64_t one : values_of(outer))
        for (const int64_t other : values_of(inner)) {
          chosen.params[outer.name] = one;
          chosen.params[inner.name] = other;
          operations.insert(operation_of(reference, chosen));
        }
    }
  return operations;
}

/// All operations that labs ask of these references are among the module's OPERATIONS.
void expect_known(const std::string& module, const std::set<std::string>& names) {
  const auto printed = python("from " + module + " import OPERATIONS; print(*OPERATIONS)");
  if (!printed) GTEST_SKIP() << "there is no Python here";
  std::istringstream words(*printed);
  const std::set<std::string> known{std::istream_iterator<std::string>(words), {}};
  for (const Lab& lab : labs())
    for (const ReferenceSpec& reference : lab.references) {
      if (!names.contains(reference.implementation)) continue;
      for (const std::string& operation : operations_of(lab, reference))
        EXPECT_TRUE(known.contains(operation)) << lab.name << ": " << operation << " is not among " << *printed;
    }
}

TEST(References, EveryNameThatALabUsesIsRegistered) {
  for (const Lab& lab : labs())
    for (const ReferenceSpec& reference : lab.references)
      EXPECT_NE(find_reference(reference.implementation), nullptr) << lab.name << ": " << reference.implementation;
}

TEST(References, CudnnKnowsEveryOperationThatALabAsksItFor) { expect_known("cudnn_library", {"cudnn"}); }

TEST(References, CudnnTakesTheNormsAsTheyAreDescribed) {
  const std::string script = TILESCOPE_SOURCE "/tests/labs/cudnn_descriptors.py";
  const auto printed = python("import runpy, sys; sys.argv = [\"\", \".\"]; runpy.run_path(\"" + script + "\")");
  if (!printed) GTEST_SKIP() << "there is no Python here";
  if (printed->find("there is no cuDNN here") != std::string::npos) GTEST_SKIP() << *printed;
  EXPECT_EQ(*printed, "ok\n");
}

TEST(References, PythonKnowsEveryOperationThatALabAsksItFor) {
  expect_known("operations", {"torch", "torch_compile", "triton"});
}

TEST(References, AProductInPythonHasTheShapesOfTheLabForBothLayouts) {
  const std::string sizes = "{\"M\": 2, \"N\": 3, \"K\": 5}";
  const auto shapes = [&](const std::string& operation, int layout) {
    return python(
        fmt::format("from operations import OPERATIONS; "
                    "print(OPERATIONS[\"{}\"].shapes({}, {{\"B_LAYOUT\": {}}}))",
                    operation, sizes, layout));
  };
  const auto rows = shapes("matmul_bf16", 0);
  if (!rows) GTEST_SKIP() << "there is no Python here";
  EXPECT_EQ(*rows, "[(2, 5), (5, 3)]\n");
  EXPECT_EQ(*shapes("matmul_bf16", 1), "[(2, 5), (3, 5)]\n");
  EXPECT_EQ(*shapes("linear_relu_f16", 0), "[(2, 5), (5, 3), (3,)]\n");
}

TEST(References, CublasLtAndCublasAreAskedForProducts) {
  size_t asked = 0;
  for (const Lab& lab : labs())
    for (const ReferenceSpec& reference : lab.references)
      for (const std::string& operation : operations_of(lab, reference)) {
        const bool product =
            reference.implementation == "cublaslt" || (reference.implementation == "cublas" && operation != "geam");
        if (!product) continue;
        ++asked;
        EXPECT_TRUE(product_named(operation, default_config(lab, DeviceKind::gpu))) << lab.name << ": " << operation;
      }
  EXPECT_GE(asked, 10U);
}

}  // namespace
}  // namespace tilescope
