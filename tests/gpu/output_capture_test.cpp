// Capturing what the driver prints; needs no GPU: the process prints the text itself.
#include "engine/gpu/output_capture.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace tilescope {
namespace {

TEST(OutputCapture, HoldsWhatIsPrintedWhileItLivesByTheLibraryOrTheSystem) {
  testing::internal::CaptureStdout();
  std::printf("before ");
  {
    const OutputCapture capture;
    EXPECT_EQ(capture.output(), "");
    ASSERT_EQ(write(STDOUT_FILENO, "kernel 1\n", 9), 9);
    std::printf("kernel %d\n", 2);
    std::fprintf(stderr, "driver\n");
    EXPECT_EQ(capture.output(), "kernel 1\nkernel 2\n");  // flushed on request
    EXPECT_EQ(capture.messages(), "driver\n");
  }
  std::printf("behind");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before behind");
}

TEST(OutputCapture, KeepsAsMuchAsTheSimulatorAndSaysWhatIsMissing) {
  const OutputCapture capture;
  const std::string line(99, 'x');
  for (int i = 0; i < 20000; ++i) std::printf("%s\n", line.c_str());
  const std::string output = capture.output();
  const size_t kept = (size_t{1} << 20) / 100 * 100;
  EXPECT_EQ(output.substr(kept),
            fmt::format("[{} bytes more were printed; of a launch 1048576 are kept]\n", 2000000 - kept));
}

TEST(OutputCapture, PutsAFailedAssertionIntoTheWordsOfTheSimulator) {
  const std::string message =
      "something else\n"
      "kernels/x.cu:12: void f<T>(const T *, int) [with T = float]: block: [1,0,2], thread: [31,0,0] Assertion `a > 0 "
      "&& "
      "\"why\"` failed.\n"
      "kernels/x.cu:12: void f(): block: [1,0,2], thread: [32,0,0] Assertion `a > 0` failed.\n";
  EXPECT_EQ(assertion_in(message),
            "assertion: 'a > 0 && \"why\"' does not hold in 'void f<T>(const T *, int) [with T = float]', "
            "kernels/x.cu:12, block (1,0,2) thread (31,0,0)");
  const Error error = error_of_launch(make_error(ErrorId::cuda_failed, "kernel 'f'", "device-side assert"), message);
  EXPECT_EQ(error.id, ErrorId::assertion_failed);
  EXPECT_EQ(error.message, "the kernel stopped itself on the GPU: " + assertion_in(message).english());
}

TEST(OutputCapture, LeavesOtherErrorsAsTheyAre) {
  EXPECT_EQ(assertion_in("an illegal memory access\n"), "");
  const Error given = make_error(ErrorId::cuda_failed, "kernel 'f'", "an illegal memory access was encountered");
  EXPECT_EQ(error_of_launch(given, "CUDA: something\n").message, given.message);
}

}  // namespace
}  // namespace tilescope
