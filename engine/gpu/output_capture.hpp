// What a kernel prints on a GPU: the driver writes it to the process's standard output, and failed assertions to its
// standard error, when the launch has ended. While a capture lives, both go to files in memory instead.
#pragma once

#include <string>
#include <string_view>

#include "engine/gpu/driver.hpp"
#include "engine/phrase.hpp"
#include "engine/result.hpp"

namespace tilescope {

class OutputCapture {
 public:
  OutputCapture();
  ~OutputCapture();
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;

  /// What has been printed so far; at most what the simulator keeps of a launch, and a line that says what is missing.
  std::string output() const;
  /// What the driver has said on standard error.
  std::string messages() const;

 private:
  struct Stream {
    int descriptor;  // 1 or 2
    int file = -1;   // in memory
    int saved = -1;  // where the descriptor led before
  };
  static void redirect(Stream& stream, const char* name);
  static void put_back(Stream& stream);
  static std::string contents(const Stream& stream, size_t most, size_t& all);

  Stream output_{1}, messages_{2};
};

/// A failed assertion, in the words of the simulator's finding, from what the driver printed about it:
/// "x.cu:12: void f(int *): block: [1,0,0], thread: [3,0,0] Assertion `a > 0` failed." Nothing if there is none.
Phrase assertion_in(std::string_view messages);

/// The error of a launch: an assertion that failed is named as such, everything else stays what it is.
Error error_of_launch(Error error, std::string_view messages);

}  // namespace tilescope
