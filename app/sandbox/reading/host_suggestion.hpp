// The launch in a file's host code (host_reading.hpp), as fields of the kernel's form: arguments become the parameters'
// values, allocations the buffers' shapes, and the size that the launch depends on becomes n.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/sandbox/reading/host_reading.hpp"
#include "app/sandbox/reading/kernel_reading.hpp"

namespace tilescope {

struct HostField {
  std::string text;
  HostPlace place = {};
};

/// By field of the form ("grid.x", "x.shape", "n"); unknown ones are omitted.
using HostFields = std::map<std::string, HostField>;

HostFields fields_from_host(const SourceKernel& kernel, const SourceFacts& facts,
                            const std::vector<ParameterType>& parameters, const KernelReading& reading);

/// The template arguments deduced from the parameters' types: "double" if a T* is given a double*. Empty if one is
/// unknown.
std::vector<std::string> template_arguments_from_host(const SourceKernel& kernel);

}  // namespace tilescope
