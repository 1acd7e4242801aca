// tilescope::testing holds what the tests share. Within tilescope it hides GoogleTest's testing, so it has that too:
// a file may be compiled together with one that includes such a header (cmake/unity.cmake).
#pragma once

namespace testing {}

namespace tilescope::testing {
using namespace ::testing;  // NOLINT
}  // namespace tilescope::testing
