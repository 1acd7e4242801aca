#include "engine/bench/recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/sha256.hpp"

namespace tilescope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

SpeedReport sample_report() {
  SpeedReport report;
  report.lab = "vector-add";
  report.gpu = "NVIDIA H200";
  report.driver_version = "580.159.04";
  report.tilescope_version = "0.1.0";
  report.date = "2026-11-20T10:00:00Z";
  report.cuda_version = 13000;
  report.nvrtc_version = "13.0";
  report.torch_version = "2.11.0+cu130";
  report.sm_clock_min_mhz = 1965;
  report.sm_clock_max_mhz = 1980;
  report.memory_clock_mhz = 3201;
  report.clock_state = "sustained";
  report.command = "tilescope bench vector-add --json x.json";
  report.size_name = "n";
  report.bytes_formula = "12 n bytes";
  report.config.sizes = {{"n", 1024}};
  report.config.params = {{"BLOCK", 256}, {"TILES", 4}};
  TimingPoint small{.size = 1024, .median_ms = 0.1, .low_ms = 0.09, .high_ms = 0.12, .samples = 40};
  small.useful_bytes = 12288;
  small.cold_l2 = false;
  TimingPoint large{.size = 4096, .median_ms = 0.3, .low_ms = 0.3, .high_ms = 0.3, .samples = 7};
  large.useful_bytes = 49152;
  large.sm_clock_mhz = 1980;
  large.note = "algorithm 66, tile 128 × 256";
  report.series = {{.name = "vector-loads", .is_rung = true, .unavailable = {}, .points = {small, large}},
                   {.name = "Triton", .is_rung = false, .unavailable = "Triton cannot be imported", .points = {}}};
  report.series[0].gaps[8192] = "its result is not that of the rungs";
  return report;
}

/// Recomputes the digest, so that an edited document looks untouched.
json resealed(json document) {
  document.erase("sha256");
  document["sha256"] = sha256_of(document.dump());
  return document;
}

std::string refusal_of(const json& document) {
  const auto report = report_from_json(document, "x.json");
  EXPECT_FALSE(report.has_value());
  if (report) return {};
  EXPECT_EQ(report.error().id, ErrorId::recording_refused);
  return report.error().message;
}

class RecordingFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tilescope-recordings-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string text_of(const std::string& name) const {
    std::ifstream stream(folder_ / name);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  std::filesystem::path folder_;
};

TEST_F(RecordingFiles, ReadBackWhatWasWritten) {
  const SpeedReport written = sample_report();
  ASSERT_TRUE(write_recording(written, folder_ / "a.json"));
  const auto read = read_recording(folder_ / "a.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(written));
  EXPECT_EQ(read->config, written.config);
  ASSERT_EQ(read->series.size(), 2u);
  EXPECT_EQ(read->series[0].points[0].useful_bytes, 12288U);
  EXPECT_DOUBLE_EQ(read->series[0].points[0].gigabytes_per_second(), 0.12288);
  EXPECT_FALSE(read->series[0].points[0].cold_l2);
  EXPECT_TRUE(read->series[0].points[1].cold_l2);
  EXPECT_EQ(read->series[0].points[0].note, "");
  EXPECT_EQ(read->series[0].points[1].note, "algorithm 66, tile 128 × 256");
  EXPECT_EQ(read->series[0].gaps, written.series[0].gaps);
  EXPECT_EQ(read->series[1].unavailable, "Triton cannot be imported");
  EXPECT_TRUE(read->series[1].gaps.empty());
}

TEST_F(RecordingFiles, BearTheBadgeRecordedOnceReadBack) {
  ASSERT_EQ(sample_report().badge, Badge::measured);
  ASSERT_TRUE(write_recording(sample_report(), folder_ / "a.json"));
  EXPECT_EQ(read_recording(folder_ / "a.json")->badge, Badge::recorded);
}

TEST_F(RecordingFiles, OfTheFormatThatHeldRatesAreRead) {
  json document = to_json(sample_report());
  document["format"] = 1;
  json& point = document["series"][0]["points"][1];
  point.erase("useful_bytes");
  point["median_ms"] = point["low_ms"] = point["high_ms"] = 0.30000000000000004;
  point["gigabytes_per_second"] = 49152 / 0.30000000000000004e6;
  document["series"][0]["points"][0].erase("useful_bytes");
  document["series"][0]["points"][0]["gigabytes_per_second"] = 1e300;  // no measurement gives this
  const auto read = report_from_json(resealed(document), "x.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->is_map);
  EXPECT_EQ(read->series[0].points[1].useful_bytes, 49152U);
  EXPECT_EQ(to_json(*read)["format"], SpeedReport::kFormat);
  EXPECT_EQ(to_json(*read)["series"][0]["points"][1], to_json(sample_report())["series"][0]["points"][1]);
}

TEST_F(RecordingFiles, HaveALineForEachTimingPoint) {
  SpeedReport report = sample_report();
  report.shapes = {{"16 × 8", {{"rows", 16}, {"columns", 8}}}};
  report.series[0].points[0].median_ms = 0.1000004999999;
  ASSERT_TRUE(write_recording(report, folder_ / "a.json"));
  EXPECT_THAT(text_of("a.json"),
              HasSubstr("\n    {\"cold_l2\": false, \"high_ms\": 0.12, \"low_ms\": 0.09, \"median_ms\": 0.1, "
                        "\"samples\": 40, \"size\": 1024, \"sm_clock_mhz\": 0, \"useful_bytes\": 12288},\n"));
  EXPECT_THAT(text_of("a.json"), HasSubstr("\n  {\"name\": \"16 × 8\", \"sizes\": {\"columns\": 8, \"rows\": 16}}\n"));
}

TEST_F(RecordingFiles, HoldTimesToSixDigitsAndBytesExactly) {
  SpeedReport report = sample_report();
  TimingPoint& point = report.series[0].points[0];
  point.low_ms = 0.00123456449;
  point.median_ms = 0.00123456451;
  point.high_ms = 12345.6789;
  point.burst_ms = 1.0 / 3;
  point.useful_bytes = 123'456'789'012;
  ASSERT_TRUE(write_recording(report, folder_ / "a.json"));
  const TimingPoint read = read_recording(folder_ / "a.json")->series[0].points[0];
  EXPECT_EQ(read.low_ms, 0.00123456);
  EXPECT_EQ(read.median_ms, 0.00123456);
  EXPECT_EQ(read.high_ms, 12345.7);
  EXPECT_EQ(read.burst_ms, 0.333333);
  EXPECT_EQ(read.useful_bytes, 123'456'789'012U);
}

TEST_F(RecordingFiles, AreRefusedWhereverTheyAreCutOff) {
  ASSERT_TRUE(write_recording(sample_report(), folder_ / "a.json"));
  const std::string text = text_of("a.json");
  for (size_t length = 0; length + 2 < text.size(); length += 97) {
    write("cut.json", text.substr(0, length));
    const auto read = read_recording(folder_ / "cut.json");
    ASSERT_FALSE(read) << "cut to " << length << " bytes";
    EXPECT_EQ(read.error().id, ErrorId::recording_refused);
    EXPECT_THAT(read.error().message, HasSubstr("cut.json was refused: it is not JSON, or its end is missing"));
  }
}

TEST_F(RecordingFiles, AreRefusedWhenOneDigitWasAltered) {
  ASSERT_TRUE(write_recording(sample_report(), folder_ / "a.json"));
  std::string text = text_of("a.json");
  const size_t place = text.find("\"median_ms\": 0.1");
  ASSERT_NE(place, std::string::npos);
  text[place + 15] = '2';
  write("a.json", text);
  const auto read = read_recording(folder_ / "a.json");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("it was altered: its sha256 does not match its contents"));
}

TEST_F(RecordingFiles, KeepTheirOtherLayoutWhenReformatted) {
  ASSERT_TRUE(write_recording(sample_report(), folder_ / "a.json"));
  write("b.json", json::parse(text_of("a.json")).dump(8));
  EXPECT_TRUE(read_recording(folder_ / "b.json"));
}

TEST_F(RecordingFiles, OfTextThatNestsWithoutEndAreRefused) {
  write("deep.json", std::string(4'000'000, '['));
  write("deeper.json", std::string(4'000'000, '[') + std::string(4'000'000, ']'));
  EXPECT_FALSE(read_recording(folder_ / "deep.json"));
  EXPECT_FALSE(read_recording(folder_ / "deeper.json"));
}

TEST_F(RecordingFiles, ThatAreMissingOrCannotBeWrittenAreErrors) {
  EXPECT_EQ(read_recording(folder_ / "none.json").error().id, ErrorId::file_not_found);
  EXPECT_EQ(write_recording(sample_report(), folder_ / "no" / "folder.json").error().id, ErrorId::file_not_written);
}

TEST_F(RecordingFiles, SurviveACommandThatIsNotUtf8) {
  SpeedReport report = sample_report();
  report.command = "tilescope bench --json \xff.json";
  ASSERT_TRUE(write_recording(report, folder_ / "a.json"));
  EXPECT_TRUE(read_recording(folder_ / "a.json"));
}

TEST_F(RecordingFiles, OfAFolderAreReadAndTheBadOnesNamed) {
  SpeedReport old = sample_report(), fresh = sample_report();
  old.date = "2025-01-01T00:00:00Z";
  fresh.gpu = "NVIDIA B200";
  ASSERT_TRUE(write_recording(fresh, folder_ / "a.json"));
  ASSERT_TRUE(write_recording(old, folder_ / "b.json"));
  write("c.json", "{}");
  write("notes.txt", "not a recording");
  const Recordings recordings = read_recordings(folder_);
  EXPECT_EQ(recordings.reports.size(), 2u);
  ASSERT_EQ(recordings.refused.size(), 1u);
  EXPECT_THAT(recordings.refused[0].message, HasSubstr("c.json"));
  ASSERT_NE(recordings.find("vector-add"), nullptr);
  EXPECT_EQ(recordings.find("vector-add")->gpu, "NVIDIA B200");
  EXPECT_EQ(recordings.find("softmax"), nullptr);
}

TEST_F(RecordingFiles, OfTheGpuThatIsAskedForGoBeforeNewerOnes) {
  SpeedReport old = sample_report(), fresh = sample_report();
  old.gpu = "NVIDIA H200";
  old.date = "2025-01-01T00:00:00Z";
  fresh.gpu = "NVIDIA H100 80GB HBM3";
  ASSERT_TRUE(write_recording(old, folder_ / "a.json"));
  ASSERT_TRUE(write_recording(fresh, folder_ / "b.json"));
  const Recordings recordings = read_recordings(folder_);
  Lab lab;
  lab.name = old.lab;
  EXPECT_EQ(recordings.find(lab, {})->gpu, fresh.gpu);
  EXPECT_EQ(recordings.find(lab, {}, false, "NVIDIA H200")->gpu, old.gpu);
  EXPECT_EQ(recordings.find(lab, {}, false, "NVIDIA B200")->gpu, fresh.gpu) << "there is none of that one";
}

TEST_F(RecordingFiles, WithTheRungThatIsShownGoBeforeThoseOfTheGpu) {
  SpeedReport of_the_gpu = sample_report(), with_the_rung = sample_report();
  of_the_gpu.gpu = "NVIDIA H200";
  with_the_rung.gpu = "NVIDIA H100 80GB HBM3";
  TimingSeries triton = with_the_rung.series.front();
  triton.name = "triton-tile";
  with_the_rung.series.push_back(triton);
  ASSERT_TRUE(write_recording(of_the_gpu, folder_ / "a.json"));
  ASSERT_TRUE(write_recording(with_the_rung, folder_ / "b.json"));
  const Recordings recordings = read_recordings(folder_);
  Lab lab;
  lab.name = of_the_gpu.lab;
  EXPECT_EQ(recordings.find(lab, {}, false, "NVIDIA H200", "triton-tile")->gpu, with_the_rung.gpu);
  EXPECT_EQ(recordings.find(lab, {}, false, "NVIDIA H200", of_the_gpu.series.front().name)->gpu, of_the_gpu.gpu);
  EXPECT_EQ(recordings.find(lab, {}, false, "NVIDIA H200", "a rung that no recording has")->gpu, of_the_gpu.gpu);
}

TEST_F(RecordingFiles, KeepTheShapesOfASweepAndAreFoundByThem) {
  SpeedReport report = sample_report();
  report.shapes = {{"16 × 8", {{"rows", 16}, {"columns", 8}}}, {"2 × 4096", {{"rows", 2}, {"columns", 4096}}}};
  for (TimingSeries& series : report.series)
    for (size_t i = 0; i < series.points.size(); ++i) series.points[i].size = static_cast<int64_t>(i) + 1;
  report.config.params = {{"DTYPE", 1}};
  ASSERT_TRUE(write_recording(report, folder_ / "a.json"));
  const Recordings recordings = read_recordings(folder_);
  ASSERT_EQ(recordings.reports.size(), 1u);
  Lab lab;
  lab.name = report.lab;
  lab.points = report.shapes;
  lab.params = {make_choice("DTYPE", {}, {}, {{"fp32", {}}, {"bf16", {}}})};
  EXPECT_NE(recordings.find(lab, {{}, {{"DTYPE", 1}}}), nullptr);
  EXPECT_EQ(recordings.find(lab, {{}, {{"DTYPE", 0}}}), nullptr) << "of another type";
  lab.points.pop_back();
  EXPECT_EQ(recordings.find(lab, {{}, {{"DTYPE", 1}}}), nullptr) << "over other shapes";
}

TEST_F(RecordingFiles, ThatAreOlderThanAChoiceAreThoseOfItsDefault) {
  SpeedReport report = sample_report();
  const Lab& lab = *find_lab("gelu");
  report.lab = lab.name;
  report.config.params = {{"BLOCK", 256}};
  ASSERT_TRUE(write_recording(report, folder_ / "a.json"));
  const Recordings recordings = read_recordings(folder_);
  Config config = default_config(lab, DeviceKind::sim);
  EXPECT_NE(recordings.find(lab, config), nullptr);
  config.params["DTYPE"] = 1;
  EXPECT_EQ(recordings.find(lab, config), nullptr) << "bfloat16 was not timed";
}

TEST_F(RecordingFiles, AreRefusedWithAPointOfAShapeThatIsNotThere) {
  SpeedReport report = sample_report();
  report.shapes = {{"16 × 8", {{"rows", 16}, {"columns", 8}}}};
  ASSERT_TRUE(write_recording(report, folder_ / "a.json"));
  EXPECT_THAT(read_recording(folder_ / "a.json").error().message, HasSubstr("shape 1024"));
}

TEST(Recordings, OfAMissingFolderAreNone) {
  const Recordings recordings = read_recordings("/nonexistent/folder");
  EXPECT_TRUE(recordings.reports.empty());
  EXPECT_TRUE(recordings.refused.empty());
}

TEST(RecordingRefusal, NamesAnUnknownFormatVersion) {
  json document = to_json(sample_report());
  for (const int version : {0, 5}) {
    document["format"] = version;
    EXPECT_THAT(refusal_of(resealed(document)),
                HasSubstr(fmt::format("it has format version {}, and this program reads versions 1 to 4", version)));
  }
}

TEST(RecordingRefusal, SaysWhenThereIsNoVersionOrDigest) {
  json document = to_json(sample_report());
  document.erase("format");
  EXPECT_THAT(refusal_of(document), HasSubstr("it names no format version"));
  document = to_json(sample_report());
  document.erase("sha256");
  EXPECT_THAT(refusal_of(document), HasSubstr("it has no sha256"));
  EXPECT_THAT(refusal_of(json::array()), HasSubstr("it is not a JSON object"));
  EXPECT_THAT(refusal_of(json(7)), HasSubstr("it is not a JSON object"));
}

TEST(RecordingRefusal, NamesTheMemberThatIsMissingOrOfAnotherType) {
  json document = to_json(sample_report());
  document["series"][0]["points"][1].erase("median_ms");
  EXPECT_THAT(refusal_of(resealed(document)), HasSubstr("series[0].points[1].median_ms is missing"));
  document = to_json(sample_report());
  document["gpu"] = 200;
  EXPECT_THAT(refusal_of(resealed(document)), HasSubstr("gpu is not a text"));
  document = to_json(sample_report());
  document["config"] = 1;
  EXPECT_THAT(refusal_of(resealed(document)), HasSubstr("config is not an object"));
  document = to_json(sample_report());
  document["config"]["params"]["BLOCK"] = "wide";
  EXPECT_THAT(refusal_of(resealed(document)), HasSubstr("config.params.BLOCK is not a whole number"));
  document = to_json(sample_report());
  document["series"] = {1};
  EXPECT_THAT(refusal_of(resealed(document)), HasSubstr("series[0] is not an object"));
}

TEST(RecordingRefusal, NamesValuesThatCannotBe) {
  json document = to_json(sample_report());
  document["series"][0]["points"][0]["samples"] = -1;
  EXPECT_THAT(refusal_of(resealed(document)), HasSubstr("series[0].points[0].samples is out of range"));
  document = to_json(sample_report());
  document["series"][0]["points"][0]["size"] = 18446744073709551615u;
  EXPECT_THAT(refusal_of(resealed(document)), HasSubstr("series[0].points[0].size is out of range"));
  document = to_json(sample_report());
  document["series"][0]["points"][0]["median_ms"] = -0.1;
  EXPECT_THAT(refusal_of(resealed(document)), HasSubstr("is not a possible measurement"));
  document = to_json(sample_report());
  document["series"][0]["points"][0]["low_ms"] = 0.11;
  EXPECT_THAT(refusal_of(resealed(document)), HasSubstr("'vector-loads' at size 1024 contradict each other"));
  document = to_json(sample_report());
  document["series"][0]["points"][1]["size"] = 512;
  EXPECT_THAT(refusal_of(resealed(document)), HasSubstr("the sizes of 'vector-loads' do not ascend"));
}

}  // namespace
}  // namespace tilescope
