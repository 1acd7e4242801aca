#include "engine/graph/operators.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "engine/graph/node_error.hpp"

namespace tilescope {
namespace {

using enum OperatorClass;

// FLOPs by element: layernorm adds for the mean, subtracts it, squares, adds for the variance, and multiplies by the
// reciprocal of the deviation, by γ and adds β. The tanh form of GELU has 8 operations, SiLU exp, add, divide,
// multiply.
constexpr std::array kOperators{
    OperatorType{"add", "Add", "加法", elementwise, 2, 2, 1, "vector-add"},
    OperatorType{"sub", "Subtract", "减法", elementwise, 2, 2, 1, "vector-add"},
    OperatorType{"mul", "Multiply", "乘法", elementwise, 2, 2, 1, "vector-multiply"},
    OperatorType{"div", "Divide", "除法", elementwise, 2, 2, 1, "vector-multiply"},
    OperatorType{"maximum", "Maximum", "取大", elementwise, 2, 2, 1, "vector-add"},
    OperatorType{"scale", "Scale", "缩放", elementwise, 1, 1, 1, "vector-multiply"},
    OperatorType{"mask", "Mask", "掩码", elementwise, 1, 2, 1, "attention"},
    OperatorType{"dropout", "Dropout", "Dropout", elementwise, 1, 2, 1, "vector-multiply"},
    OperatorType{"cast", "Cast", "类型转换", elementwise, 1, 1, 0, ""},
    OperatorType{"neg", "Negate", "取负", elementwise, 1, 1, 1, "vector-multiply"},
    OperatorType{"exp", "Exp", "指数", elementwise, 1, 1, 1, "sin-cos-add"},
    OperatorType{"sin", "Sin", "正弦", elementwise, 1, 1, 1, "sin-cos-add"},
    OperatorType{"cos", "Cos", "余弦", elementwise, 1, 1, 1, "sin-cos-add"},
    OperatorType{"tanh", "Tanh", "双曲正切", elementwise, 1, 1, 1, "gelu"},
    OperatorType{"sqrt", "Square root", "平方根", elementwise, 1, 1, 1, "sin-cos-add"},
    OperatorType{"rsqrt", "1 / square root", "平方根倒数", elementwise, 1, 1, 1, "rmsnorm"},
    OperatorType{"pow", "Power", "幂", elementwise, 1, 2, 1, "sin-cos-add"},
    OperatorType{"relu", "ReLU", "ReLU", elementwise, 1, 1, 1, "matmul-epilogue"},
    OperatorType{"sigmoid", "Sigmoid", "Sigmoid", elementwise, 1, 1, 3, "gelu"},
    OperatorType{"silu", "SiLU", "SiLU", elementwise, 1, 1, 4, "gelu"},
    OperatorType{"gelu", "GELU", "GELU", elementwise, 1, 1, 8, "gelu"},
    OperatorType{"sum", "Sum", "求和", reduction, 1, 1, 1, "reduction-sum"},
    OperatorType{"mean", "Mean", "均值", reduction, 1, 1, 1, "reduction-sum"},
    OperatorType{"max", "Max", "最大值", reduction, 1, 1, 1, "reduction-sum"},
    OperatorType{"top_k", "Top k", "Top-k", row_wise, 1, 1, 1, ""},
    OperatorType{"softmax", "Softmax", "Softmax", row_wise, 1, 1, 5, "softmax"},
    OperatorType{"layernorm", "LayerNorm", "LayerNorm", row_wise, 1, 3, 7, "layernorm"},
    OperatorType{"rmsnorm", "RMSNorm", "RMSNorm", row_wise, 1, 2, 4, "rmsnorm"},
    OperatorType{"rotary", "Rotary embedding", "旋转位置编码", row_wise, 1, 3, 3, ""},
    OperatorType{"combine", "Weighted sum of experts", "专家加权求和", reduction, 2, 2, 2, "reduction-sum"},
    OperatorType{"matmul", "Matmul", "矩阵乘", matmul, 2, 2, 0, "matmul-tensor-core"},
    OperatorType{"expert_matmul", "Matmul of experts", "专家矩阵乘", matmul, 3, 3, 0, "matmul-tensor-core"},
    OperatorType{"attention", "Fused attention", "融合注意力", matmul, 3, 4, 0, "attention"},
    OperatorType{"embedding", "Embedding", "词嵌入", gather, 2, 2, 0, "coalescing"},
    OperatorType{"concat", "Concatenate", "拼接", copy, 1, 8, 0, "coalescing"},
    OperatorType{"transpose_copy", "Transpose, copied", "转置（拷贝）", copy, 1, 1, 0, "transpose"},
    OperatorType{"reshape", "Reshape", "变形", view, 1, 1, 0, ""},
    OperatorType{"transpose", "Transpose", "转置", view, 1, 1, 0, ""},
    OperatorType{"slice", "Slice", "切片", view, 1, 1, 0, ""},
    OperatorType{"expand", "Expand", "扩展", view, 1, 1, 0, ""},
};

int64_t attribute(const GraphNode& node, const std::string& name, int64_t otherwise = 0) {
  const auto found = node.attributes.find(name);
  return found != node.attributes.end() ? found->second : otherwise;
}

std::string shapes_text(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text.append(text.empty() ? "" : " and ").append(text_of_shape(shape));
  return text;
}

/// Levenshtein's distance.
size_t distance(std::string_view one, std::string_view other) {
  std::vector<size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < one.size(); ++i) {
    size_t corner = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < other.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, corner + (one[i] == other[j] ? 0U : 1U)});
      corner = above;
    }
  }
  return row.back();
}

Result<Shape> meet(const GraphNode& node, const std::vector<Shape>& inputs) {
  Shape shape = inputs.front();
  for (const Shape& input : inputs) {
    const auto both = broadcast_shape(shape, input);
    if (!both) return node_error(node, phrase("{} cannot be broadcast to each other", shapes_text(inputs)));
    shape = *both;
  }
  return shape;
}

/// γ and β are vectors as long as a row.
Result<Shape> row_wise_shape(const GraphNode& node, const std::vector<Shape>& inputs) {
  const Shape& rows = inputs.front();
  if (rows.empty()) return node_error(node, phrase("its input is a scalar and has no rows"));
  if (node.type == "top_k") {
    const int64_t k = attribute(node, "k", 1);
    if (k < 1 || k > rows.back()) return node_error(node, phrase("k = {} is not in 1 … {}", k, rows.back()));
    Shape shape = rows;
    shape.back() = k;
    return shape;
  }
  for (size_t input = 1; input < inputs.size(); ++input) {
    const bool row = node.type == "rotary" || inputs[input] == Shape{rows.back()};
    if (!row)
      return node_error(node, phrase("its input {} is {}, but a row has {} elements", input + 1,
                                     text_of_shape(inputs[input]), rows.back()));
  }
  return rows;
}

Result<Shape> reduction_shape(const GraphNode& node, const std::vector<Shape>& inputs) {
  Shape shape = inputs.front();
  if (shape.empty()) return node_error(node, phrase("its input is a scalar and has nothing to reduce"));
  if (node.type == "combine") {  // [tokens, k, hidden] and the weights [tokens, k]
    if (shape.size() < 2 || inputs[1] != Shape(shape.begin(), shape.end() - 1))
      return node_error(node,
                        phrase("its weights are {}, and its input {}", text_of_shape(inputs[1]), text_of_shape(shape)));
    shape.erase(shape.end() - 2);
    return shape;
  }
  if (attribute(node, "keep") != 0)
    shape.back() = 1;
  else
    shape.pop_back();
  return shape;
}

/// B has the same number of matrices as A, one, or with heads in groups a divisor.
bool batches_meet(const Shape& a, const Shape& b) {
  if (b.size() == 2) return true;
  if (a.size() != b.size()) return false;
  for (size_t axis = 0; axis + 2 < a.size(); ++axis)
    if (b[axis] < 1 || a[axis] % b[axis] != 0) return false;
  return true;
}

Result<Shape> matmul_shape(const GraphNode& node, const std::vector<Shape>& inputs) {
  const Shape &a = inputs[0], &b = inputs[1];
  if (node.type == "expert_matmul") {  // tokens [T, K] or [T, k, K], weights [experts, K, N], choice [T, k]
    const Shape& choice = inputs[2];
    if (b.size() != 3 || choice.size() != 2 || a.size() < 2 || a.size() > 3 || a.back() != b[1] ||
        a.front() != choice.front() || (a.size() == 3 && a[1] != choice[1]))
      return node_error(node, phrase("tokens {}, weights {} and choice {} do not go together", text_of_shape(a),
                                     text_of_shape(b), text_of_shape(choice)));
    return Shape{choice[0], choice[1], b[2]};
  }
  if (a.size() < 2 || b.size() < 2)
    return node_error(node, phrase("it multiplies matrices, and was given {}", shapes_text(inputs)));
  const bool transposed = attribute(node, "transpose_b") != 0;
  const int64_t k = transposed ? b.back() : b[b.size() - 2];
  if (a.back() != k)
    return node_error(node, phrase("{} cannot be multiplied by {}: A has {} columns, B has {} rows", text_of_shape(a),
                                   text_of_shape(b), a.back(), k));
  if (!batches_meet(a, b))
    return node_error(node,
                      phrase("{} and {} do not have the same number of matrices", text_of_shape(a), text_of_shape(b)));
  Shape shape = a;
  shape.back() = transposed ? b[b.size() - 2] : b.back();
  return shape;
}

/// Queries [batch, heads, S, d], keys [batch, KV heads, T, d], values [batch, KV heads, T, e].
Result<Shape> attention_shape(const GraphNode& node, const std::vector<Shape>& inputs) {
  const Shape &q = inputs[0], &k = inputs[1], &v = inputs[2];
  const bool fit = q.size() >= 3 && k.size() == q.size() && v.size() == q.size() && q.back() == k.back() &&
                   k[k.size() - 2] == v[v.size() - 2] && batches_meet(q, k) && batches_meet(q, v);
  if (!fit)
    return node_error(node, phrase("queries {}, keys {} and values {} do not go together", text_of_shape(q),
                                   text_of_shape(k), text_of_shape(v)));
  Shape shape = q;
  shape.back() = v.back();
  return shape;
}

Result<Shape> view_shape(const GraphNode& node, const Shape& input, const Shape& declared) {
  const int64_t before = elements_of(input), after = elements_of(declared);
  if (node.type == "slice" ? after <= before : node.type == "expand" ? after >= before : after == before)
    return declared;
  return node_error(node, phrase("{} does not hold the elements of {}", text_of_shape(declared), text_of_shape(input)));
}

Result<Shape> copy_shape(const GraphNode& node, const std::vector<Shape>& inputs, const Shape& declared) {
  int64_t elements = 0;
  for (const Shape& input : inputs) elements += elements_of(input);
  if (elements == elements_of(declared)) return declared;
  return node_error(node, phrase("{} does not hold the elements of {}", text_of_shape(declared), shapes_text(inputs)));
}

int64_t product(Shape::const_iterator begin, Shape::const_iterator end) {
  return std::accumulate(begin, end, int64_t{1}, std::multiplies<>());
}

/// What to say where no operator has this name: the one whose name is most like it, or all of them.
Phrase no_operator(const std::string& name) {
  const auto away = [&](const OperatorType& one) { return distance(name, one.name); };
  const OperatorType& nearest = *std::ranges::min_element(kOperators, {}, away);
  if (3 * away(nearest) <= name.size())
    return phrase("there is no operator '{}'; the nearest is '{}'", name, nearest.name);
  std::string all;
  for (const OperatorType& one : kOperators) all.append(all.empty() ? "" : ", ").append(one.name);
  return phrase("there is no operator '{}'; there are {}", name, all);
}

}  // namespace

std::string_view name_of(OperatorClass kind) {
  switch (kind) {
    case elementwise:
      return "elementwise";
    case reduction:
      return "reduction";
    case row_wise:
      return "row-wise";
    case matmul:
      return "matmul";
    case gather:
      return "gather";
    case copy:
      return "copy";
    case view:
      return "view";
  }
  return "";
}

std::span<const OperatorType> operator_types() { return kOperators; }

const OperatorType* find_operator(std::string_view name) {
  const auto found = std::ranges::find(kOperators, name, &OperatorType::name);
  return found != kOperators.end() ? &*found : nullptr;
}

std::optional<Shape> broadcast_shape(const Shape& one, const Shape& other) {
  const Shape &longer = one.size() >= other.size() ? one : other, &shorter = &longer == &one ? other : one;
  Shape shape = longer;
  const size_t offset = longer.size() - shorter.size();
  for (size_t axis = 0; axis < shorter.size(); ++axis) {
    int64_t& extent = shape[offset + axis];
    if (extent != shorter[axis] && extent != 1 && shorter[axis] != 1) return std::nullopt;
    extent = std::max(extent, shorter[axis]);
  }
  return shape;
}

Result<Shape> infer_shape(const GraphNode& node, const std::vector<Shape>& inputs, const Shape& declared) {
  const OperatorType* type = find_operator(node.type);
  if (type == nullptr) return node_error(node, no_operator(node.type));
  if (inputs.size() < type->least_inputs || inputs.size() > type->most_inputs) {
    if (type->most_inputs == 1) return node_error(node, phrase("it takes one input and was given {}", inputs.size()));
    if (type->least_inputs == type->most_inputs)
      return node_error(node, phrase("it takes {} inputs and was given {}", type->least_inputs, inputs.size()));
    return node_error(node, phrase("it takes {} to {} inputs and was given {}", type->least_inputs, type->most_inputs,
                                   inputs.size()));
  }
  switch (type->kind) {
    case elementwise:
      return meet(node, inputs);
    case reduction:
      return reduction_shape(node, inputs);
    case row_wise:
      return row_wise_shape(node, inputs);
    case matmul:
      return node.type == "attention" ? attention_shape(node, inputs) : matmul_shape(node, inputs);
    case gather: {
      if (inputs[0].size() != 2)
        return node_error(node, phrase("its table must be a matrix, and is {}", text_of_shape(inputs[0])));
      Shape shape = inputs[1];
      shape.push_back(inputs[0].back());
      return shape;
    }
    case copy:
      return copy_shape(node, inputs, declared);
    case view:
      return view_shape(node, inputs.front(), declared);
  }
  return declared;
}

MatmulExtents matmul_extents(const OperatorGraph& graph, const GraphNode& node) {
  const Shape &a = graph.tensors[node.inputs[0]].shape, &b = graph.tensors[node.inputs[1]].shape;
  const Shape& c = graph.tensors[node.output].shape;
  if (node.type == "expert_matmul")
    return {.batch = 1, .m = c[0] * c[1], .n = c[2], .k = b[1], .batch_b = std::min(b[0], c[0] * c[1])};
  if (b.size() == 2)  // the rows of all matrices A are those of one product
    return {.batch = 1, .m = product(a.begin(), a.end() - 1), .n = c.back(), .k = a.back(), .batch_b = 1};
  return {.batch = product(a.begin(), a.end() - 2),
          .m = a[a.size() - 2],
          .n = c.back(),
          .k = a.back(),
          .batch_b = product(b.begin(), b.end() - 2)};
}

double flops_of(const OperatorGraph& graph, const GraphNode& node) {
  const OperatorType& type = *find_operator(node.type);
  const auto elements = [&](size_t tensor) { return static_cast<double>(elements_of(graph.tensors[tensor].shape)); };
  if (node.type == "attention") {  // two products and the softmax of the scores
    const double out = elements(node.output), queries = elements(node.inputs[0]);
    const Shape &q = graph.tensors[node.inputs[0]].shape, &k = graph.tensors[node.inputs[1]].shape;
    const double keys = static_cast<double>(k[k.size() - 2]), scores = queries / static_cast<double>(q.back()) * keys;
    return 2 * queries * keys + 2 * out * keys + 6 * scores;
  }
  if (type.kind == matmul) {
    const MatmulExtents size = matmul_extents(graph, node);
    return 2.0 * static_cast<double>(size.batch) * static_cast<double>(size.m) * static_cast<double>(size.n) *
           static_cast<double>(size.k);
  }
  return type.flops_per_element * std::max(elements(node.inputs.front()), elements(node.output));
}

double bytes_read_of(const OperatorGraph& graph, const GraphNode& node, size_t input) {
  const GraphTensor& tensor = graph.tensors[input];
  const OperatorClass kind = find_operator(node.type)->kind;
  if (kind == view) return 0;
  if (kind == gather && input == node.inputs.front()) return graph.tensors[node.output].bytes();
  if (node.type == "expert_matmul" &&
      input == node.inputs[1])  // the experts that are chosen, at most one by each token
    return tensor.bytes() / static_cast<double>(tensor.shape[0]) *
           static_cast<double>(matmul_extents(graph, node).batch_b);
  return tensor.bytes();
}

double bytes_read(const OperatorGraph& graph, const GraphNode& node) {
  const std::set<size_t> inputs(node.inputs.begin(), node.inputs.end());
  double bytes = 0;
  for (const size_t input : inputs) bytes += bytes_read_of(graph, node, input);
  return bytes;
}

double bytes_written(const OperatorGraph& graph, const GraphNode& node) {
  return find_operator(node.type)->kind == view ? 0 : graph.tensors[node.output].bytes();
}

}  // namespace tilescope
