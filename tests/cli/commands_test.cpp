#include "app/commands/commands.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

struct Outcome {
  int status;
  std::string out, problems;
  json object() const { return json::parse(out); }
};

template <class Command, class Options>
Outcome call(Command command, const Options& options) {
  std::ostringstream out, problems;
  const int status = command(engine(), options, out, problems);
  return {status, out.str(), problems.str()};
}

std::string write_kernel(const std::string& text) {
  const auto file = own_test_folder() / "kernel.cu";
  std::ofstream(file) << text;
  return file.string();
}

const char* const kScale = R"(extern "C" __global__ void scale(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
})";

ExecOptions scale_by_two(const std::string& grid) {
  ExecOptions options;
  options.file = write_kernel(kScale);
  options.kernel = "scale";
  options.grid = grid;
  options.block = "128";
  options.arguments = {"buf:f32:1000:iota:x", "buf:f32:1000:poison:y", "f32:2", "i32:1000"};
  options.json = true;
  return options;
}

TEST(Run, JsonHasTheDocumentedFields) {
  RunOptions options;
  options.lab = "vector-add";
  options.size = {"n=98432"};
  options.json = true;
  const Outcome outcome = call(run_command, options);
  EXPECT_EQ(outcome.status, 0) << outcome.problems;
  const json object = outcome.object();
  EXPECT_EQ(object["status"], "ok");
  EXPECT_EQ(object["device"]["kind"], "sim");
  EXPECT_TRUE(object["findings"].empty());
  EXPECT_EQ(object["counters"]["global_load_sectors"], 24608);
  EXPECT_EQ(object["counters"]["global_store_bytes_useful"], 4 * 98432);
  EXPECT_EQ(object["buffers"]["out"]["nan"], 0);
  EXPECT_EQ(object["buffers"]["out"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_TRUE(object["elapsed_ms"].contains("compile"));
}

TEST(Run, AnyLaunchCanBeShownAndTheCommandSaysWhich) {
  RunOptions options;
  options.lab = "softmax";
  options.rung = "five-kernels";
  options.size = {"rows=40"};
  options.launch = "2";
  options.json = true;
  const json object = call(run_command, options).object();
  EXPECT_EQ(object["shown_launch"], 1);
  EXPECT_NE(object["command"].get<std::string>().find("--launch 2"), std::string::npos);
  options.json = false;
  options.traffic = true;
  EXPECT_NE(call(run_command, options).out.find("tile map of launch 2 of 5"), std::string::npos);
  for (const char* wrong : {"0", "6", "first"}) {
    options.launch = wrong;
    const Outcome outcome = call(run_command, options);
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_NE(outcome.problems.find("launch"), std::string::npos) << outcome.problems;
  }
}

TEST(Run, AtomicsAreReportedBesideLoadsAndStores) {
  RunOptions options;
  options.lab = "reduction-sum";
  options.rung = "atomic-per-element";
  options.size = {"n=1000"};
  options.json = true;
  const json counters = call(run_command, options).object()["counters"];
  const uint64_t atomic = counters["global_atomic_sectors"].get<uint64_t>();
  EXPECT_GT(atomic, 0U);
  EXPECT_EQ(counters["global_bytes_moved"].get<uint64_t>(),
            32 * (counters["global_load_sectors"].get<uint64_t>() + counters["global_store_sectors"].get<uint64_t>() +
                  atomic));
  options.json = false;
  EXPECT_NE(call(run_command, options).out.find("updated by atomics in"), std::string::npos);
}

TEST(Run, ModelledCountersCarryTheirBadgeAndTheirGpu) {
  RunOptions options;
  options.lab = "vector-add";
  options.size = {"n=98432"};
  options.set = {"GPU=a100"};
  options.json = true;
  const json object = call(run_command, options).object();
  EXPECT_EQ(object["modelled_gpu"]["id"], "a100");
  const json& counters = object["counters"];
  // Two vectors are read once; one is written and still in the L2 at the end.
  EXPECT_EQ(counters["device_bytes_read"], 8 * 98432);
  EXPECT_EQ(counters["device_bytes_written"], 0);
  EXPECT_EQ(counters["bytes_left_in_l2"], 4 * 98432);
  // Each partition of an H200's L2 holds half of it, and data of the far partition is requested twice.
  EXPECT_NEAR(counters["l2_bytes"].get<double>(), 1.5 * 12 * 98432, 0.03 * 12 * 98432);
  EXPECT_EQ(counters["l1_hit_rate"], 0);
  EXPECT_NEAR(counters["l2_hit_rate"].get<double>(), 1.0 / 3, 0.01);
  EXPECT_EQ(counters["badges"]["device_bytes_read"], "MODELLED");
  EXPECT_EQ(object["hierarchy"]["errors"]["device_bytes_read"]["counter"], "dram__bytes_read.sum");
  EXPECT_GT(object["hierarchy"]["errors"]["device_bytes_read"]["largest_percent"], 0);
  EXPECT_FALSE(counters["badges"].contains("global_load_sectors"));
  EXPECT_EQ(object["launches"][0]["occupancy"]["limit"], "grid");
  EXPECT_NE(object["command"].get<std::string>().find("--set GPU=a100"), std::string::npos);
}

TEST(Run, TheTableOfLevelsNamesTheGpuAndItsBadge) {
  RunOptions options;
  options.lab = "vector-add";
  options.size = {"n=98432"};
  options.set = {"GPU=rtx-4090"};
  options.traffic = true;
  const std::string text = call(run_command, options).out;
  EXPECT_NE(text.find("as RTX 4090 [MODELLED]"), std::string::npos) << text;
  EXPECT_NE(text.find("device  total                787 KB"), std::string::npos) << text;
}

TEST(Run, AnUnknownGpuIsAnErrorThatNamesThem) {
  RunOptions options;
  options.lab = "vector-add";
  options.set = {"GPU=h300"};
  const Outcome outcome = call(run_command, options);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.problems.find("'h300'"), std::string::npos) << outcome.problems;
  EXPECT_NE(outcome.problems.find("v100, a100-40gb, a100, h100-pcie, h100, h200"), std::string::npos);
}

TEST(Run, AllRungsGiveTheSameOutput) {
  RunOptions options;
  options.lab = "vector-multiply";
  options.rung = "all";
  options.json = true;
  const json object = call(run_command, options).object();
  ASSERT_EQ(object["runs"].size(), find_lab("vector-multiply")->rungs.size());
  for (const auto& run : object["runs"]) EXPECT_EQ(run["buffers"]["out"], object["runs"][0]["buffers"]["out"]);
}

TEST(Run, BadUsageIsOneSentenceAndStatusTwo) {
  RunOptions options;
  options.lab = "vector-sub";
  EXPECT_EQ(call(run_command, options).status, 2);
  EXPECT_NE(call(run_command, options).problems.find("vector-add"), std::string::npos);
  options.lab = "vector-add";
  options.set = {"BLOCK=100"};
  EXPECT_EQ(call(run_command, options).status, 2);
  options.set = {"BLOCK"};
  EXPECT_EQ(call(run_command, options).status, 2);
  options.set = {"WARPS=2"};
  EXPECT_EQ(call(run_command, options).status, 2);
  options.set = {};
  options.size = {"n=0"};
  EXPECT_EQ(call(run_command, options).status, 2);
  options.size = {};
  options.device = "tpu";
  EXPECT_EQ(call(run_command, options).status, 2);
}

TEST(Run, AValueThatHasNoSuchNameIsRefusedWithTheNamesThatThereAre) {
  RunOptions options;
  options.lab = "gelu";
  options.set = {"DTYPE=fp64"};
  const Outcome outcome = call(run_command, options);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.problems.find("DTYPE = 'fp64' is not possible; allowed is fp32, bf16"), std::string::npos)
      << outcome.problems;
}

TEST(Run, ABrokenKernelExitsWithOne) {
  RunOptions options;
  options.lab = "vector-add";
  options.size = {"n=1000"};
  options.broken = {"ONE_TOO_FAR"};
  options.json = true;
  const Outcome outcome = call(run_command, options);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.object()["status"], "findings");
}

TEST(Run, WithoutAGpuStatusIsThree) {
  if (engine().gpu()) GTEST_SKIP() << "this machine has a GPU";
  RunOptions options;
  options.lab = "vector-add";
  options.device = "gpu";
  options.json = true;
  const Outcome outcome = call(run_command, options);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.object()["status"], "unavailable");
  EXPECT_FALSE(outcome.object()["error"]["hint"].get<std::string>().empty());
}

TEST(Exec, RunsAnyKernelAndDumpsItsBuffers) {
  ExecOptions options = scale_by_two("8");
  const auto dump = std::filesystem::path(options.file).parent_path() / "y.bin";
  options.dumps = {"y=" + dump.string()};
  const Outcome outcome = call(exec_command, options);
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(outcome.object()["buffers"]["y"]["max"], 1998);
  std::vector<float> values(1000);
  std::ifstream(dump, std::ios::binary).read(reinterpret_cast<char*>(values.data()), 4000);
  EXPECT_EQ(values[700], 1400.0F);
}

TEST(Exec, AnyKernelIsModelledOnTheChosenGpu) {
  ExecOptions options = scale_by_two("8");
  options.set = {"GPU=v100"};
  const json object = call(exec_command, options).object();
  EXPECT_EQ(object["modelled_gpu"]["name"], "V100");
  EXPECT_EQ(object["counters"]["device_bytes_read"], 4000);
  options.set = {"BLOCK=3"};
  EXPECT_EQ(call(exec_command, options).status, 2);
}

TEST(Exec, AGridThatIsTooSmallLeavesPoison) {
  const json object = call(exec_command, scale_by_two("7")).object();
  EXPECT_EQ(object["buffers"]["y"]["nan"], 1000 - 7 * 128);
}

TEST(Exec, AnOutOfBoundsAccessIsAFinding) {
  ExecOptions options = scale_by_two("8");
  options.arguments[3] = "i32:1001";
  const Outcome outcome = call(exec_command, options);
  EXPECT_EQ(outcome.status, 1);
  const json finding = outcome.object()["findings"][0];
  EXPECT_EQ(finding["id"], "out-of-bounds");
  EXPECT_EQ(finding["buffer"], "x");
  EXPECT_EQ(finding["offset"], 4000);
  EXPECT_EQ(finding["line"], 3);
  EXPECT_EQ(finding["block"], json::array({7, 0, 0}));
  EXPECT_EQ(finding["thread"], json::array({104, 0, 0}));
}

TEST(Exec, ReadingWhatWasNeverWrittenIsAFinding) {
  ExecOptions options = scale_by_two("8");
  options.arguments[0] = "buf:f32:1000:poison:x";
  const Outcome outcome = call(exec_command, options);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.object()["findings"][0]["id"], "uninitialised-read");
}

void expect_bad_input(ExecOptions options, const std::string& id) {
  options.json = true;
  const Outcome outcome = call(exec_command, options);
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_EQ(outcome.object()["error"]["id"], id) << outcome.out;
}

const char* const kPrinting = R"(extern "C" __global__ void greet(int n) {
  if (threadIdx.x < n) printf("block %d thread %d %c\n", blockIdx.x, threadIdx.x, threadIdx.x == 1 ? 0xff : '.');
  assert(n < 9);
})";

TEST(Exec, ShowsWhatAKernelPrints) {
  ExecOptions options;
  options.file = write_kernel(kPrinting);
  options.kernel = "greet";
  options.grid = "2";
  options.block = "4";
  options.arguments = {"i32:2"};
  const Outcome text = call(exec_command, options);
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("printed by the kernel:\nblock 0 thread 0 .\nblock 0 thread 1 \xff\nblock 1 thread 0 .\n"),
            std::string::npos)
      << text.out;
  options.json = true;  // must be Unicode: invalid bytes become U+FFFD
  EXPECT_EQ(call(exec_command, options).object()["output"],
            "block 0 thread 0 .\nblock 0 thread 1 \xEF\xBF\xBD\nblock 1 thread 0 .\nblock 1 thread 1 \xEF\xBF\xBD\n");
  options.arguments = {"i32:0"};
  EXPECT_EQ(call(exec_command, options).object()["output"], "");
  options.json = false;
  EXPECT_EQ(call(exec_command, options).out.find("printed"), std::string::npos);
}

TEST(Exec, AFailedAssertionIsAFindingBehindWhatWasPrinted) {
  ExecOptions options;
  options.file = write_kernel(kPrinting);
  options.kernel = "greet";
  options.grid = "1";
  options.block = "32";
  options.arguments = {"i32:10"};
  options.json = true;
  const Outcome outcome = call(exec_command, options);
  EXPECT_EQ(outcome.status, 1);
  const json object = outcome.object();
  EXPECT_EQ(object["findings"][0]["id"], "assertion");
  EXPECT_EQ(object["findings"][0]["line"], 3);
  EXPECT_EQ(object["findings"][0]["count"], 32);
  EXPECT_TRUE(object["output"].get<std::string>().starts_with("block 0 thread 0 .\n"));
}

TEST(Exec, BadInputIsOneErrorAndStatusTwo) {
  ExecOptions options = scale_by_two("8");
  options.file = "absent.cu";
  expect_bad_input(options, "file-not-found");
  options = scale_by_two("8");
  options.kernel = "scala";
  expect_bad_input(options, "kernel-not-found");
  options = scale_by_two("8");
  options.arguments.pop_back();
  expect_bad_input(options, "argument-count");
  options = scale_by_two("8");
  options.arguments[3] = "u64:1000";
  expect_bad_input(options, "argument-size");
  options = scale_by_two("0");
  expect_bad_input(options, "bad-launch");
  options = scale_by_two("8");
  options.block = "2000";
  expect_bad_input(options, "bad-launch");
  options = scale_by_two("8");
  options.arguments[0] = "buf:f32:1000:@absent.bin:x";
  expect_bad_input(options, "file-not-found");
  options = scale_by_two("8");
  options.arguments[0] = "buf:f64:1000000000000:zero:x";
  expect_bad_input(options, "out-of-memory");
  options = scale_by_two("8");
  options.file = write_kernel("extern \"C\" __global__ void scale(float* x) { x[0] = y; }");
  expect_bad_input(options, "compile-failed");
  options = scale_by_two("8");
  options.dumps = {"z=z.bin"};
  expect_bad_input(options, "usage");
}

TEST(List, NamesEveryLabRungAndParameter) {
  std::ostringstream out;
  EXPECT_EQ(list_command(engine(), {.json = true}, out), 0);
  const json object = json::parse(out.str());
  const auto add = std::ranges::find_if(object["labs"], [](const json& lab) { return lab["name"] == "vector-add"; });
  ASSERT_NE(add, object["labs"].end());
  EXPECT_EQ((*add)["rungs"].size(), find_lab("vector-add")->rungs.size());
  EXPECT_EQ((*add)["parameters"][0]["name"], "BLOCK");
}

TEST(List, SaysWhichNvrtcIsInUse) {
  if (!engine().compiler()) GTEST_SKIP() << engine().compiler().error().message;
  std::ostringstream text, machine;
  EXPECT_EQ(list_command(engine(), {}, text), 0);
  EXPECT_EQ(list_command(engine(), {.json = true}, machine), 0);
  const json nvrtc = json::parse(machine.str())["nvrtc"];
  EXPECT_EQ(nvrtc["version"], (*engine().compiler())->version());
  const auto library = nvrtc["library"].get<std::string>();
  EXPECT_TRUE(std::filesystem::path(library).filename().string().starts_with("libnvrtc.so")) << library;
  EXPECT_TRUE(std::filesystem::exists(nvrtc["builtins"].get<std::string>())) << nvrtc;
  EXPECT_NE(text.str().find("\nNVRTC: " + (*engine().compiler())->version() + ", "), std::string::npos) << text.str();
  const bool separate = nvrtc["separate"];
  const std::string where = separate ? "; in a process of its own\n" : "; in this process, ";
  EXPECT_NE(text.str().find(": " + library + where), std::string::npos) << text.str();
}

TEST(List, WithoutNvrtcSaysWhatToDo) {
  setenv("TILESCOPE_HIDE", "nvrtc", 1);
  const auto bare = Engine::open({});
  unsetenv("TILESCOPE_HIDE");
  std::ostringstream text, machine;
  EXPECT_EQ(list_command(*bare, {}, text), 0);
  EXPECT_EQ(list_command(*bare, {.json = true}, machine), 0);
  EXPECT_NE(text.str().find("\nNVRTC: not found. Run ./tilescope"), std::string::npos) << text.str();
  EXPECT_EQ(json::parse(machine.str())["nvrtc"]["available"], false);
}

/// The rungs of the other labs are run by Labs.EveryRungIsCorrectAtItsDefaults.
TEST(Tour, PrintsACorrectRowForEveryRung) {
  const std::vector<Lab> some{*find_lab("vector-add"), *find_lab("softmax")};
  std::ostringstream out, problems;
  EXPECT_EQ(tour_table(engine(), some, out, problems), 0) << out.str() << problems.str();
  std::string expected;
  for (const Lab& lab : some)
    for (const Rung& rung : lab.rungs) expected += lab.name + " " + rung.name + " correct\n";
  std::istringstream rows(out.str());
  std::string row, found;
  std::getline(rows, row);  // the names of the columns
  while (std::getline(rows, row) && !row.starts_with("All of the above")) {
    std::istringstream words(row);
    std::string lab, rung, blocks, result;
    words >> lab >> rung >> blocks >> result;
    found += lab + " " + rung + " " + result + "\n";
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace tilescope
