// The instruction sets for which handlers are compiled: AVX-512, AVX2, and plain C++ for all others. Only these, to
// keep the build short. Must be included before Highway.
#pragma once

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
