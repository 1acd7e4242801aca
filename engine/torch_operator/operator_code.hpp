// The Python of an exported operator: torch_op.py, which registers it, and cases.py, reference.py, which say what it
// must compute.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/lab.hpp"
#include "engine/torch_operator/operator_folder.hpp"
#include "engine/torch_operator/torch_reference.hpp"

namespace tilescope {

/// How the tensors of an operator may be shaped.
enum class OperatorLayout {
  any_shape,  // each element by itself: tensors of one shape, whatever it is
  rows,       // rows of a length: the leading dimensions are as many as one likes
  exact       // the lab's own dimensions
};

struct OperatorSubject {
  const Lab& lab;
  const Rung& rung;
  const Config& config;
  const TorchReference& reference;
  const OperatorLaunches& launches;
  OperatorWay way = OperatorWay::custom_op;
  bool is_triton = false;
  std::string command = {};
  std::vector<size_t> inputs = {}, outputs = {}, scratch = {};  // indices of the buffers that launches use
  OperatorLayout layout = OperatorLayout::exact;
};

/// Decides layout, inputs, outputs and scratch memory from the launches. The sentence says why there is no operator.
Phrase settle_operator(OperatorSubject& subject);

std::string operator_identifier(const OperatorSubject& subject);  // "vector_add"
std::string operator_name(const OperatorSubject& subject);        // "tilescope::vector_add"
std::string operator_schema(const OperatorSubject& subject);
std::string torch_op_code(const OperatorSubject& subject);
std::string reference_code(const OperatorSubject& subject);
std::string cases_code(const OperatorSubject& subject);

/// "torch.float32". Unsigned integers of more than 8 bits are declared signed: the bits are the same.
std::string operator_type(DType type);
/// "x, gamma": the names of these buffers.
std::string buffer_names(const OperatorSubject& subject, const std::vector<size_t>& buffers);

}  // namespace tilescope
