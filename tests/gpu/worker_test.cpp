#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/gpu/launch_protocol.hpp"
#include "engine/gpu/launch_worker.hpp"

namespace tilescope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Launch sample_launch() {
  Launch launch{.kernel = "add", .grid = {7, 2, 1}, .block = {256, 1, 1}, .shared_bytes = 1024, .arguments = {}};
  launch.arguments = {BufferArgument{1, 16}, scalar(2.5f), scalar(int64_t{-3})};
  ScalarArgument rows = scalar(uint64_t{0});
  rows.pointers = {{0, BufferArgument{1, 8}}};
  launch.arguments.emplace_back(BufferArgument{.buffer = 0, .texture = 0});
  launch.textures = {{.buffer = 2,
                      .shape = TextureSpec::Shape::layered_two,
                      .type = DType::u8,
                      .channels = 4,
                      .extent = {7, 5, 3},
                      .linear_filter = true,
                      .normalized = true,
                      .normalized_float = true,
                      .address = TextureSpec::Address::mirror}};
  launch.presets = {{.variable = "_ZL6factor", .value = scalar(0.5f)}, {.buffer = 2, .value = rows}};
  return launch;
}

TEST(LaunchProtocol, CarriesARequestUnchanged) {
  LaunchRequest request{.kind = LaunchRequest::Kind::time, .spare_contents = true};
  request.module.ptx = ".version 8.0\n";
  request.module.cubin = {std::byte{0x7f}, std::byte{0x00}, std::byte{0xfe}};
  request.launches = {sample_launch(), sample_launch()};
  CUipcMemHandle handle{};
  for (size_t i = 0; i < sizeof handle.reserved; ++i) handle.reserved[i] = static_cast<char>(3 * i);
  request.handles = {handle};
  request.bytes = {4096};

  LaunchRequest read;
  ASSERT_TRUE(from_json(json::parse(to_json(request).dump()), read));
  EXPECT_EQ(read.kind, LaunchRequest::Kind::time);
  EXPECT_TRUE(read.spare_contents);
  EXPECT_EQ(read.module.ptx, request.module.ptx);
  EXPECT_EQ(read.module.cubin, request.module.cubin);
  ASSERT_EQ(read.launches.size(), 2u);
  const Launch& launch = read.launches[1];
  EXPECT_EQ(launch.kernel, "add");
  EXPECT_EQ(launch.grid, (Dim3{7, 2, 1}));
  EXPECT_EQ(launch.block, (Dim3{256, 1, 1}));
  EXPECT_EQ(launch.shared_bytes, 1024u);
  EXPECT_EQ(std::get<BufferArgument>(launch.arguments[0]).buffer, 1u);
  EXPECT_EQ(std::get<BufferArgument>(launch.arguments[0]).offset_bytes, 16);
  EXPECT_EQ(std::get<ScalarArgument>(launch.arguments[1]).bytes, scalar(2.5f).bytes);
  EXPECT_EQ(std::get<ScalarArgument>(launch.arguments[2]).bytes, scalar(int64_t{-3}).bytes);
  EXPECT_EQ(std::get<BufferArgument>(launch.arguments[3]).texture, 0u);
  EXPECT_FALSE(std::get<BufferArgument>(launch.arguments[0]).texture);
  EXPECT_EQ(launch.textures, sample_launch().textures);
  ASSERT_EQ(launch.presets.size(), 2u);
  EXPECT_EQ(launch.presets[0].variable, "_ZL6factor");
  EXPECT_EQ(launch.presets[0].value.bytes, scalar(0.5f).bytes);
  EXPECT_EQ(launch.presets[1].variable, "");
  EXPECT_EQ(launch.presets[1].buffer, 2u);
  EXPECT_EQ(launch.presets[1].value.pointers.at(0).target.offset_bytes, 8);
  EXPECT_EQ(0, std::memcmp(&read.handles[0], &handle, sizeof handle));
  EXPECT_EQ(read.bytes, request.bytes);
}

TEST(LaunchProtocol, RefusesWhatIsNoRequest) {
  LaunchRequest request;
  for (const char* text : {"{}", "[]", "7", "null", R"({"kind": "run", "cubin": 3})"}) {
    EXPECT_FALSE(from_json(json::parse(text), request)) << text;
  }
  EXPECT_FALSE(from_json(json::parse("{", nullptr, false), request));
}

TEST(LaunchProtocol, CarriesTimesOutputAndErrors) {
  const std::string printed("two\nlines \xff\0", 12);  // any bytes
  const auto answer = answer_from_json(
      json::parse(answer_of(LaunchAnswer{{{0.25, 0.5}, {.executions = 60, .sets = 3}}, printed}).dump()));
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->timing.milliseconds, testing::ElementsAre(0.25, 0.5));
  EXPECT_EQ(answer->timing.method.executions, 60);
  EXPECT_EQ(answer->timing.method.sets, 3);
  EXPECT_EQ(answer->output, printed);

  const auto failed = answer_from_json(answer_of(make_error(ErrorId::too_large_for_gpu, 10, 5)));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().id, ErrorId::too_large_for_gpu);
  EXPECT_EQ(failed.error().message, "the buffers need 10 bytes and the GPU has 5 free");
  EXPECT_EQ(failed.error().hint, "Choose a smaller size.");
}

TEST(LaunchProtocol, KeepsWhatOtherLanguagesSayAndWhatIsAName) {
  const Error sent = make_error(ErrorId::bad_launch, "grid", std::string("read"),
                                phrase("1 to {} blocks in x and 1 to {} in y and z are possible", 7, 3));
  const auto failed = answer_from_json(json::parse(answer_of(sent).dump()));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, sent.message);
  EXPECT_EQ(failed.error().what, sent.what);
  EXPECT_EQ(failed.error().advice, sent.advice);
}

TEST(LaunchProtocol, TakesNothingElseForAnAnswer) {
  for (const char* text : {"{}", "[]", "null", R"({"milliseconds": []})", R"({"milliseconds": [1]})",
                           R"({"error": 1, "message": "no form of it"})"}) {
    const auto answer = answer_from_json(json::parse(text));
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.error().id, ErrorId::cuda_failed);
  }
}

TEST(LaunchWorker, LiesBesideTheProgram) { EXPECT_TRUE(std::filesystem::exists(LaunchWorker::beside_this_program())); }

TEST(LaunchWorker, ThatIsMissingIsUnusableWithTheReason) {
  LaunchWorker worker("/nonexistent/tilescope-worker");
  EXPECT_EQ(worker.unusable(), "");
  EXPECT_FALSE(worker.run({}, sample_launch(), {}, {}));
  EXPECT_THAT(worker.unusable().english(), HasSubstr("/nonexistent/tilescope-worker cannot be started"));
}

TEST(LaunchWorker, ThatDiesBeforeItIsReadyIsUnusableWithTheReason) {
  LaunchWorker worker("false");
  EXPECT_FALSE(worker.run({}, sample_launch(), {}, {}));
  EXPECT_THAT(worker.unusable().english(), HasSubstr("it ended with status 1"));
}

TEST(LaunchWorker, WithoutADriverSaysWhy) {
  setenv("TILESCOPE_HIDE", "cuda", 1);
  LaunchWorker worker(LaunchWorker::beside_this_program());
  worker.start();
  unsetenv("TILESCOPE_HIDE");
  EXPECT_FALSE(worker.run({}, sample_launch(), {}, {}));
  EXPECT_THAT(worker.unusable().english(), HasSubstr("hidden by TILESCOPE_HIDE"));
}

/// A program in place of tilescope-worker: it creates its context, and answers the launch with these shell lines.
class StandInWorker {
 public:
  explicit StandInWorker(const std::string& answer) {
    std::string name = (std::filesystem::temp_directory_path() / "tilescope-worker-XXXXXX").string();
    close(mkstemp(name.data()));
    file_ = name;
    std::ofstream(file_) << "#!/bin/sh\nread line; echo '{\"ready\": true}'; read line\n" << answer << "\n";
    std::filesystem::permissions(file_, std::filesystem::perms::owner_all);
  }
  ~StandInWorker() { std::filesystem::remove(file_); }
  StandInWorker(const StandInWorker&) = delete;
  StandInWorker& operator=(const StandInWorker&) = delete;
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

TEST(LaunchWorker, CountsKernelsThatEndedTheirProcess) {
  for (const char* end :
       {"exit 1", "kill -SEGV $$",
        R"(echo '{"error": 1, "message": "illegal address", "hint": "", "lost": true}'; read line)"}) {
    const StandInWorker stand_in(end);
    LaunchWorker worker(stand_in.file());
    EXPECT_EQ(worker.faults(), 0u);
    for (uint64_t faults = 1; faults <= 2; ++faults) {
      EXPECT_FALSE(worker.run({}, sample_launch(), {}, {})) << end;
      EXPECT_EQ(worker.faults(), faults) << end;
    }
    EXPECT_EQ(worker.unusable(), "") << end;
  }
}

TEST(LaunchWorker, CountsAKernelThatHadToBeStopped) {
  const StandInWorker stand_in("read line");
  LaunchWorker worker(stand_in.file());
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop.request_stop();
  });
  const auto report = worker.run({}, sample_launch(), {}, stop.get_token());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().id, ErrorId::cancelled);
  EXPECT_EQ(worker.faults(), 1u);
}

TEST(LaunchWorker, CountsNothingForLaunchesThatEndOrAreRefused) {
  const StandInWorker good(
      R"(while true; do echo '{"milliseconds": [1], "executions": 1, "sets": 1, "output": ""}'; read line; done)");
  const StandInWorker refusing(
      R"(echo '{"error": 1, "message": "no such kernel", "hint": "", "lost": false}'; read line)");
  for (const StandInWorker* stand_in : {&good, &refusing}) {
    LaunchWorker worker(stand_in->file());
    EXPECT_EQ(worker.run({}, sample_launch(), {}, {}).has_value(), stand_in == &good);
    EXPECT_EQ(worker.faults(), 0u);
  }
}

TEST(LaunchWorker, IsNotBotheredWithALaunchThatCannotBe) {
  LaunchWorker worker("/nonexistent/tilescope-worker");
  CompiledModule module;
  module.kernels = {{.name = "add", .parameter_bytes = {8}}};
  const auto result = worker.run(module, sample_launch(), {}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().id, ErrorId::argument_count);
  EXPECT_EQ(worker.unusable(), "");
}

}  // namespace
}  // namespace tilescope
