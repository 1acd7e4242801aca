// Exported operators: their formulas give the lab's launches at sizes that no probe has, Python reads what is written,
// and what cannot be exported is refused in a sentence.
#include "engine/torch_operator/operator_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "engine/kernel_language.hpp"
#include "engine/run/engine.hpp"
#include "engine/torch_operator/torch_reference.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Engine& shared_engine() {
  static const std::shared_ptr<Engine> engine = Engine::open({.root = TILESCOPE_SOURCE});
  return *engine;
}

struct ExportedRung {
  const Lab* lab;
  const Rung* rung;
};
/// All rungs of all labs that are exported, without those that pick one of the others.
std::vector<ExportedRung> exported_rungs() {
  std::vector<ExportedRung> all;
  for (const TorchReference& one : torch_references()) {
    const Lab* lab = find_lab(one.lab);
    EXPECT_NE(lab, nullptr) << one.lab;
    for (const Rung& rung : lab->rungs)
      if (!rung.pick) all.push_back({lab, &rung});
  }
  return all;
}

Request request_for(const std::string& lab, const std::string& rung) {
  return {
      .lab = lab, .rung = rung, .config = default_config(*find_lab(lab), DeviceKind::gpu), .device = DeviceKind::gpu};
}

Result<OperatorFolder> folder_of(const Request& request, OperatorWay way) {
  return operator_folder(shared_engine(), request, way, export_command(request, way, "FOLDER"));
}

std::string text_of(const OperatorFolder& folder, const std::string& file) {
  const SourceFile* found = folder.find(file);
  EXPECT_NE(found, nullptr) << file;
  return found == nullptr ? std::string() : found->text;
}

class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / ("tilescope-operator-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// A value of the domain, small ones as likely as large ones.
int64_t drawn(const SizeDomain& domain, std::mt19937_64& generator) {
  if (!domain.is_free) return domain.value;
  const double low = std::log(static_cast<double>(domain.min)), high = std::log(static_cast<double>(domain.max));
  const double value = std::exp(std::uniform_real_distribution<double>(low, high)(generator));
  const int64_t rounded = static_cast<int64_t>(value) / domain.multiple_of * domain.multiple_of;
  return std::clamp(rounded, domain.min, domain.max);
}

void expect_equal_launches(const ExportedRung& one, const OperatorLaunches& launches, const SizeValues& sizes) {
  Config config = default_config(*one.lab, DeviceKind::gpu);
  config.sizes = sizes;
  const std::vector<Launch> wanted = one.rung->launches(config);
  ASSERT_EQ(launches.launches.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const OperatorLaunch& got = launches.launches[i];
    EXPECT_EQ(got.kernel, wanted[i].kernel);
    EXPECT_EQ(got.grid[0].at(sizes), wanted[i].grid.x);
    EXPECT_EQ(got.grid[1].at(sizes), wanted[i].grid.y);
    EXPECT_EQ(got.grid[2].at(sizes), wanted[i].grid.z);
    EXPECT_EQ(got.block, wanted[i].block);
    EXPECT_EQ(got.shared_bytes.at(sizes), wanted[i].shared_bytes);
    ASSERT_EQ(got.arguments.size(), wanted[i].arguments.size());
    for (size_t a = 0; a < got.arguments.size(); ++a) {
      const auto* scalar = std::get_if<ScalarArgument>(&wanted[i].arguments[a]);
      if (got.arguments[a].kind != OperatorArgument::Kind::number || scalar == nullptr) continue;
      int64_t value = 0;
      std::memcpy(&value, scalar->bytes.data(), scalar->bytes.size());
      EXPECT_EQ(got.arguments[a].number.at(sizes), value);
    }
  }
  const auto buffers = one.rung->buffers ? one.rung->buffers(config) : one.lab->buffers(config);
  for (size_t i = 0; i < buffers.size(); ++i)
    for (size_t d = 0; d < launches.buffers[i].shape.size(); ++d)
      EXPECT_EQ(launches.buffers[i].shape[d].at(sizes), buffers[i].shape[d]);
}

TEST(OperatorLaunches, FormulasGiveTheLabsLaunchesAtRandomSizes) {
  std::mt19937_64 generator(1);
  for (const ExportedRung& one : exported_rungs()) {
    SCOPED_TRACE(one.lab->name + " " + one.rung->name);
    const auto launches = operator_launches(*one.lab, *one.rung, default_config(*one.lab, DeviceKind::gpu));
    ASSERT_TRUE(launches) << launches.error().english();
    for (int trial = 0; trial < 100; ++trial) {
      SizeValues sizes;
      for (const SizeDomain& domain : launches->sizes) sizes[domain.name] = drawn(domain, generator);
      expect_equal_launches(one, *launches, sizes);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(OperatorLaunches, AKernelThatNeedsAlignedRowsTakesNoOthers) {
  const Lab& lab = *find_lab("rmsnorm");
  const auto launches = operator_launches(lab, *find_rung(lab, "scheme-2"), default_config(lab, DeviceKind::gpu));
  ASSERT_TRUE(launches);
  EXPECT_EQ(launches->size("columns").multiple_of, 4);
  EXPECT_EQ(launches->size("rows").multiple_of, 1);
  EXPECT_EQ(launches->launches[0].kernel, "blocks_of_a_row");
}

TEST(OperatorLaunches, ATreeOfAnUnknownDepthTakesOnlyTheExportedSize) {
  const Lab& lab = *find_lab("reduction-sum");
  const auto launches = operator_launches(lab, *find_rung(lab, "warp-shuffle"), default_config(lab, DeviceKind::gpu));
  ASSERT_TRUE(launches);
  EXPECT_FALSE(launches->size("n").is_free);
}

TEST(OperatorFolder, PythonReadsEveryFileOfEveryRungInEveryWay) {
  if (std::system("python3 -c '' >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no python3";
  const Scratch scratch;
  size_t written = 0;
  for (const ExportedRung& one : exported_rungs())
    for (const OperatorWay way : kOperatorWays) {
      const bool is_triton = language_of(source_file_of(*one.lab, *one.rung)) == KernelLanguage::triton;
      const auto folder = folder_of(request_for(one.lab->name, one.rung->name), way);
      EXPECT_EQ(folder.has_value(), is_triton || way != OperatorWay::triton_op)
          << one.lab->name << " " << one.rung->name;
      if (!folder) continue;
      ASSERT_TRUE(write_operator_folder(*folder, scratch / std::to_string(written++)));
    }
  EXPECT_GT(written, 100U);
  const std::string command =
      "python3 -m compileall -q " + (scratch / "").string() + " >" + (scratch / "log").string() + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream log(scratch / "log");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(log), {}), "");
}

TEST(OperatorFolder, PythonComputesTheSameGrids) {
  if (std::system("python3 -c '' >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no python3";
  const auto folder = folder_of(request_for("softmax", "triton-persistent"), OperatorWay::triton_op);
  ASSERT_TRUE(folder) << folder.error().message;
  const Scratch scratch;
  ASSERT_TRUE(write_operator_folder(*folder, scratch / "it"));
  std::ofstream script(scratch / "check.py");
  script << "import sys\nsys.path.insert(0, '" << (scratch / "it").string()
         << "')\nfrom sizes import cdiv, next_power_of_2\n";
  for (const auto& [rows, columns] : {std::pair{1, 1}, {7, 100}, {8192, 4096}, {100000, 4095}}) {
    const SizeValues sizes{{"rows", rows}, {"columns", columns}};
    script << "rows, columns = " << rows << ", " << columns << "\n";
    for (const OperatorLaunch& launch : folder->launches.launches) {
      script << "assert " << launch.grid[0].python() << " == " << launch.grid[0].at(sizes) << "\n";
      for (const OperatorConstexpr& constant : launch.constexprs)
        if (const auto* rule = std::get_if<SizeRule>(&constant.value))
          script << "assert " << rule->python() << " == " << rule->at(sizes) << "\n";
    }
  }
  script.close();
  EXPECT_EQ(std::system(("python3 " + (scratch / "check.py").string()).c_str()), 0);
}

TEST(OperatorFolder, TheSchemaNamesInputsAndOutputs) {
  const auto folder = folder_of(request_for("pytorch-op", "fused"), OperatorWay::library);
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(folder->name, "tilescope::add_rmsnorm");
  EXPECT_EQ(folder->schema, "(Tensor x, Tensor residual, Tensor gamma) -> (Tensor, Tensor)");
  const std::string code = text_of(*folder, "torch_op.py");
  for (const char* part : {"Library(\"tilescope\", \"FRAGMENT\")", "Library(\"tilescope\", \"IMPL\")",
                           "impl(\"add_rmsnorm\", launch, \"CUDA\")", "impl(\"add_rmsnorm\", fake, \"Meta\")",
                           "register_autograd(NAME, backward"})
    EXPECT_THAT(code, HasSubstr(part));
}

TEST(OperatorFolder, EachWayRegistersInItsOwn) {
  const auto custom = folder_of(request_for("gelu", "fused"), OperatorWay::custom_op);
  ASSERT_TRUE(custom);
  EXPECT_THAT(text_of(*custom, "torch_op.py"), HasSubstr("@torch.library.custom_op(NAME, mutates_args=()"));
  EXPECT_NE(custom->find("cuda_driver.py"), nullptr);
  const auto triton = folder_of(request_for("gelu", "triton-fused"), OperatorWay::triton_op);
  ASSERT_TRUE(triton);
  EXPECT_THAT(text_of(*triton, "torch_op.py"), HasSubstr("wrap_triton(kernel."));
  EXPECT_EQ(triton->find("cuda_driver.py"), nullptr);
}

TEST(OperatorFolder, TheTransposedInputIsNoWordOfPython) {
  const auto folder = folder_of(request_for("transpose", "shared-tile"), OperatorWay::custom_op);
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->schema, "(Tensor in_) -> Tensor");
}

TEST(OperatorFolder, ThePtxHasTheLaunchedKernel) {
  if (!shared_engine().compiler()) GTEST_SKIP() << shared_engine().compiler().error().message;
  auto folder = folder_of(request_for("pytorch-op", "fused"), OperatorWay::custom_op);
  ASSERT_TRUE(folder);
  const auto added = add_ptx(shared_engine(), *folder);
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_THAT(text_of(*folder, "kernel.ptx"), HasSubstr(".entry fused("));
  EXPECT_THAT(text_of(*folder, "kernel.ptx"), HasSubstr(".target sm_80"));
}

TEST(OperatorFolder, WhatCannotBeExportedIsRefusedInASentence) {
  const auto message = [](const Request& request, OperatorWay way) {
    const auto folder = folder_of(request, way);
    return folder ? std::string() : folder.error().message;
  };
  EXPECT_THAT(message(request_for("attention", default_rung(*find_lab("attention")).name), OperatorWay::library),
              HasSubstr("the lab attention is not exported"));
  EXPECT_THAT(message(request_for("rmsnorm", "auto"), OperatorWay::library), HasSubstr("here it picks scheme-"));
  EXPECT_THAT(message(request_for("vector-add", "grid-stride"), OperatorWay::triton_op),
              HasSubstr("the lab's Triton rungs are triton-tile, triton-two-tiles, triton-loop"));
  EXPECT_THAT(message(request_for("transpose", "shared-tile"), OperatorWay::triton_op), HasSubstr("has none"));
  Request broken = request_for("vector-add", "grid-stride");
  broken.broken = {"DROP_MASK"};
  EXPECT_THAT(message(broken, OperatorWay::library), HasSubstr("planted bug"));
}

TEST(OperatorFolder, AFolderWithOtherFilesIsLeftAlone) {
  const Scratch scratch;
  const auto folder = folder_of(request_for("gelu", "triton-fused"), OperatorWay::custom_op);
  ASSERT_TRUE(folder);
  fs::create_directories(scratch / "mine");
  std::ofstream(scratch / "mine/notes.txt") << "mine";
  const auto refused = write_operator_folder(*folder, scratch / "mine");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("notes.txt"));
  EXPECT_FALSE(fs::exists(scratch / "mine/torch_op.py"));
}

TEST(OperatorFolder, ASecondExportReplacesTheFirst) {
  const Scratch scratch;
  const auto cuda = folder_of(request_for("gelu", "fused"), OperatorWay::custom_op);
  const auto triton = folder_of(request_for("gelu", "triton-fused"), OperatorWay::custom_op);
  ASSERT_TRUE(cuda && triton);
  ASSERT_TRUE(write_operator_folder(*cuda, scratch / "it"));
  EXPECT_TRUE(fs::exists(scratch / "it/kernel.cu"));
  ASSERT_TRUE(write_operator_folder(*triton, scratch / "it"));
  EXPECT_FALSE(fs::exists(scratch / "it/kernel.cu"));
  EXPECT_TRUE(fs::exists(scratch / "it/kernel.py"));
}

TEST(OperatorFolder, ItsCommandNamesWhatDiffersFromTheDefaults) {
  Request request = request_for("pytorch-op", "fused");
  EXPECT_EQ(export_command(request, OperatorWay::custom_op, "OUT"),
            "tilescope export-op pytorch-op --rung fused --way custom_op OUT");
  request.config.params["BLOCK"] = 512;
  request.config.params["DTYPE"] = 1;
  EXPECT_EQ(export_command(request, OperatorWay::library, "OUT"),
            "tilescope export-op pytorch-op --rung fused --way library OUT --set BLOCK=512 --set DTYPE=bf16");
}

}  // namespace
}  // namespace tilescope
