// Captures what a kernel prints on a GPU: when the launch has ended, the driver writes it to the process's standard
// output, and failed assertions to its standard error. During a capture both go to in-memory files instead.
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

  /// The output so far; at most as much as the simulator keeps of a launch, plus a line that states how much is
  /// missing.
  std::string output() const;
  /// The driver's messages on standard error.
  std::string messages() const;

 private:
  struct Stream {
    int descriptor;  // 1 or 2
    int file = -1;   // in memory
    int saved = -1;  // the original target of the descriptor
  };
  static void redirect(Stream& stream, const char* name);
  static void put_back(Stream& stream);
  static std::string contents(const Stream& stream, size_t most, size_t& all);

  Stream output_{1}, messages_{2};
};

/// A failed assertion in the words of the simulator's finding, parsed from the driver's message: "x.cu:12: void f(int
/// *): block: [1,0,0], thread: [3,0,0] Assertion `a > 0` failed." Empty if there is none.
Phrase assertion_in(std::string_view messages);

/// The error of a launch: a failed assertion replaces it, any other error stays as it is.
Error error_of_launch(Error error, std::string_view messages);

}  // namespace tilescope
