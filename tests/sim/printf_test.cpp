// printf in kernels, compared with the C library's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "engine/sim/state/device_printf.hpp"
#include "run_kernel.hpp"

namespace tilescope {
namespace {

template <class... Arguments>
std::string expected(const char* format, Arguments... arguments) {
  char text[512];
  std::snprintf(text, sizeof(text), format, arguments...);
  return text;
}

TEST(Printf, EveryConversionFlagWidthPrecisionAndLengthIsThatOfC) {
  const std::string given = "text of the host";
  Machinery machine;
  std::vector<char> bytes(given.begin(), given.end());
  bytes.push_back('\0');
  machine.input("text", bytes);
  const size_t returned = machine.output<int>("returned", 3);
  const auto report = machine.run(module_of("library"), "formats", {1, 1, 1}, {3, 1, 1});
  EXPECT_TRUE(report.findings.empty());

  const long long big = 123456789012345;
  const double x = 1234.5678;
  const char* text = given.c_str();
  std::string all;
  const auto each = [&](const auto& line) {
    for (int lane = 0; lane < 3; ++lane) all += line(lane);
  };
  each([](int) { return std::string("plain\n"); });
  each([](int i) {
    return expected("%d|%i|%u|%5d|%-5d|%05d|%+d|% d\n", i - 7, i, static_cast<unsigned>(i - 1), 42, 42, 42, 42, 42);
  });
  each([](int) { return expected("%x|%X|%o|%#x|%#o|%08x\n", 0xbeefU, 0xbeefU, 8U, 255U, 8U, 0xabcU); });
  each([&](int) { return expected("%lld|%lld|%llu|%llx|%d|%lld|%lld\n", big, -big, big, big, 77, big, big); });
  each([](int) { return std::string("-2|65535|-3|200\n"); });
  each([&](int) { return expected("%f|%.2f|%10.3f|%-10.1f|%+.0f|%s\n", x, x, x, x, x, "NAN"); });
  each([&](int) { return expected("%e|%.3E|%g|%G|%g|%#g\n", x, x, x, 1e-300, 1e10, 1.0); });
  each([&](int) { return expected("%a|%A|%.2a\n", x, 0.5, 1.0); });
  each([](int) { return std::string("ok|  a|b  |\n"); });
  each([&](int) { return expected("%s|%10s|%-10s|%.3s|%s|(null)\n", text, text, text, text, "local"); });
  each([&](int) { return expected("%*d|%-*d|%.*f|%*.*f\n", 6, 1, 6, 2, 3, x, 9, 2, x); });
  each([](int) { return std::string("%|%5%|%y|%\n"); });  // what is not a conversion is printed unchanged
  each([](int) { return std::string("(nil)\n"); });
  EXPECT_EQ(report.output, all);
  // One per conversion, and one more for each *.
  const int arguments = 8 + 6 + 7 + 4 + 6 + 6 + 3 + 4 + 6 + 9 + 1;
  EXPECT_EQ(machine.download<int>(returned), std::vector<int>(3, arguments));
}

TEST(Printf, BehindThe32ndArgumentAFormatIsPrintedAsItStands) {
  Machinery machine;
  const size_t returned = machine.output<int>("returned", 1);
  const auto report = machine.run(module_of("library"), "many", {1, 1, 1}, {1, 1, 1});
  std::string all;
  for (int i = 1; i <= 32; ++i) all += std::to_string(i) + " ";
  EXPECT_EQ(report.output, all + "%d %d\n");
  EXPECT_EQ(machine.download<int>(returned)[0], 32);
}

TEST(Printf, LanesPrintInTheirOrderAndBlocksInTheirsWhateverTheHostsThreads) {
  constexpr int kThreads = 1990;
  std::string all;
  for (int i = 0; i < kThreads; ++i) {
    if (i % 3 != 1) all += expected("thread %d of %s\n", i, i % 8 != 0 ? "many" : "few");
    if (i == 63) all += "0 1 2 3 \n";  // thread 40, after its warp has printed
  }
  for (int host_threads : {1, 2}) {
    Machinery machine(host_threads);
    machine.value(kThreads);
    const auto report = machine.run(module_of("library"), "order", {32, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(report.findings.empty());
    EXPECT_EQ(report.output, all);
  }
}

TEST(Printf, WhatIsPrintedBeyondTheBufferOfAGpuIsCountedAndDropped) {
  for (int host_threads : {1, 2}) {
    Machinery machine(host_threads);
    machine.value(40);
    const auto report = machine.run(module_of("library"), "flood", {1000, 1, 1}, {2, 1, 1});
    const size_t line = expected("block %6d line %6d\n", 0, 0).size();
    const size_t kept = kMostOutput / line * line;
    ASSERT_GT(report.output.size(), kept);
    EXPECT_EQ(report.output.substr(kept),
              fmt::format("[{} bytes more were printed; of a launch 1048576 are kept]\n", 1000 * 40 * 2 * line - kept));
    const size_t last = kept / line - 1;
    EXPECT_EQ(report.output.substr(kept - line, line),
              expected("block %6d line %6d\n", static_cast<int>(last / 80), static_cast<int>(last / 2 % 40)));
  }
}

TEST(Printf, AStringThatDoesNotEndInItsBufferIsReported) {
  for (const bool ends : {true, false}) {
    Machinery machine;
    machine.input("text", std::vector<char>{'a', 'b', 'c', ends ? '\0' : 'd'});
    const auto report = machine.run(module_of("library"), "bad_string", {1, 1, 1}, {1, 1, 1});
    EXPECT_EQ(report.output, ends ? "[abc]\n" : "[(no string)]\n");
    ASSERT_EQ(report.findings.size(), ends ? 0U : 1U);
    if (!ends) {
      EXPECT_EQ(report.findings[0].id, "out-of-bounds");
      EXPECT_EQ(report.findings[0].buffer, "text");
    }
  }
}

}  // namespace
}  // namespace tilescope
