// The launch that a file's host code makes (host_reading.hpp), as fields of the kernel's form: what is passed becomes
// the value of its parameter, what is allocated the shape of the buffer, and the size that the launch is about n.
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

/// By field of the form ("grid.x", "x.shape", "n"); those that are not known are left out.
using HostFields = std::map<std::string, HostField>;

HostFields fields_from_host(const SourceKernel& kernel, const SourceFacts& facts,
                            const std::vector<ParameterType>& parameters, const KernelReading& reading);

/// The template arguments that the parameters' types follow from: "double" where a T* is given a double*. Empty where
/// one is not known.
std::vector<std::string> template_arguments_from_host(const SourceKernel& kernel);

}  // namespace tilescope
