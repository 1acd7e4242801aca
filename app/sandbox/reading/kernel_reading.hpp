// What a kernel's body shows about its launch, read from its tokens: which variable runs along which axis of the grid
// and how far, which parameter bounds it, how buffers are indexed, read and written. It is what a person would gather
// by skimming the body; the form filled from it can be edited, and the run shows whether it was right.
//
//     int col = blockIdx.x * blockDim.x + threadIdx.x;   // col runs along x, blockDim.x per block
//     if (row < M && col < N)                            // row is bounded by M, col by N
//       c[row * N + col] = …                             // c is M × N, and written
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/sandbox/reading/source_facts.hpp"

namespace tilescope {

struct AxisReading {
  bool in_grid = false, in_block = false;  // blockIdx.x, threadIdx.x occur
  bool by_block = false;                   // blockIdx.x * blockDim.x
  int64_t factor = 1;                      // … * 4; or, not by_block, blockIdx.x * 32
  bool one_each = false;                   // blockIdx.x by itself: for example a row or a head
  std::string bound;                       // the parameter that bounds its variables
  int64_t thread_step = 0;                 // for (j = threadIdx.y; j < 32; j += 8): 8
};

struct BufferReading {
  bool read = false, written = false;
  bool accumulated = false;               // only through +=, ++ and atomics
  bool passed_on = false;                 // to a function, whose use of it is unknown
  std::vector<std::string> extents = {};  // expressions, outermost first; empty: unknown
};

struct KernelReading {
  std::array<AxisReading, 3> axes = {};          // x, y, z
  std::map<std::string, BufferReading> buffers;  // by parameter
  std::set<std::string> sizes;                   // whole-number parameters that bound an index, or are a pitch
  bool loops_over_size = false;                  // each thread loops over a whole extent
};

/// `facts` as returned by with_template_arguments.
KernelReading read_kernel(const SourceKernel& kernel, const SourceFacts& facts,
                          const std::vector<ParameterType>& parameters);

}  // namespace tilescope
