#include "engine/torch_operator/operator_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "engine/host_program/scalar_code.hpp"

namespace tilescope {
namespace {

std::string indented(const std::string& line) { return "    " + line + "\n"; }

/// "(rows, columns)", "(n,)".
std::string size_rules_code(const std::vector<SizeRule>& shape) {
  std::string text;
  for (const SizeRule& extent : shape) text += (text.empty() ? "" : ", ") + extent.python();
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

/// "True", "1024", "tl.float16" as they are, anything else as a string.
std::string constexpr_code(const std::string& value) {
  const bool number = !value.empty() && value.find_first_not_of("0123456789+-.eE") == std::string::npos &&
                      value.find_first_of("0123456789") != std::string::npos;
  if (number || value == "True" || value == "False" || value == "None" || value.starts_with("tl.")) return value;
  return "\"" + value + "\"";
}

/// The shortest text of a number that a float or double holds: "1e-05".
std::string number_code(const ScalarArgument& argument) {
  float value = 0;
  if (argument.number != ScalarArgument::Number::floating || argument.bytes.size() != sizeof(value))
    return python_literal(argument).value_or("None");
  std::memcpy(&value, argument.bytes.data(), sizeof(value));
  return std::isfinite(value) ? fmt::format("{}", value) : fmt::format("float(\"{}\")", value);
}

std::string size_names(const OperatorSubject& subject) {
  std::string text;
  for (const SizeDomain& size : subject.launches.sizes) text += (text.empty() ? "" : ", ") + size.name;
  return text;
}

class TorchOp {
 public:
  explicit TorchOp(const OperatorSubject& subject)
      : subject_(subject), inputs_(buffer_names(subject, subject.inputs)) {}

  std::string make() const {
    const std::string body = constants() + checks() + sizes_of() + outputs_of() + launch() + registration() + calls();
    return head() + imports(body) + body;
  }

 private:
  const OperatorBuffer& buffer(size_t index) const { return subject_.launches.buffers[index]; }
  std::string outputs() const { return buffer_names(subject_, subject_.outputs); }
  bool many() const { return subject_.outputs.size() > 1; }
  std::string typed_inputs() const {
    std::string text;
    for (const size_t input : subject_.inputs) text += (text.empty() ? "" : ", ") + buffer(input).name + ": Tensor";
    return text;
  }
  std::string result_type() const {
    if (!many()) return "Tensor";
    std::string text;
    for (size_t i = 0; i < subject_.outputs.size(); ++i) text += i == 0 ? "Tensor" : ", Tensor";
    return "tuple[" + text + "]";
  }
  /// A function that takes the sizes after the tensors.
  std::string with_sizes() const { return inputs_ + ", " + size_names(subject_); }

  std::string head() const {
    return fmt::format(
        "\"\"\"{}: {}, as a PyTorch operator.\n\nLab {}, rung {}, registered by {}. Written by\n    {}\n\"\"\"\n",
        operator_name(subject_), subject_.reference.what, subject_.lab.name, subject_.rung.name,
        subject_.way == OperatorWay::library ? "torch.library.Library"
                                             : "torch.library." + std::string(name_of(subject_.way)),
        subject_.command);
  }

  /// What the body uses.
  std::string imports(const std::string& body) const {
    const auto used = [&](std::initializer_list<const char*> names) {
      std::string text;
      for (const char* name : names)
        if (body.find(name + std::string("(")) != std::string::npos)
          text += (text.empty() ? "" : ", ") + std::string(name);
      return text;
    };
    std::string text = body.find("math.") == std::string::npos ? "\nimport torch\n" : "\nimport math\n\nimport torch\n";
    if (subject_.way != OperatorWay::library) text += "from torch import Tensor\n";
    if (subject_.way == OperatorWay::triton_op) text += "from torch.library import wrap_triton\n";
    text += subject_.is_triton ? "\nimport kernel\nimport reference\n" : "\nimport reference\n";
    if (!subject_.is_triton)
      text += "from cuda_driver import " + used({"F32", "F64", "I32", "I64", "Module", "raw"}) + "\n";
    if (const std::string functions = used({"cdiv", "next_power_of_2"}); !functions.empty())
      text += "from sizes import " + functions + "\n";
    return text;
  }

  std::string constants() const {
    static constexpr const char* kLayouts[] = {"any shape", "rows", "exact"};
    std::string text = fmt::format(
        "\nLAB, RUNG, WAY, LANGUAGE = \"{}\", \"{}\", \"{}\", \"{}\"\nNAME = \"{}\"\nSCHEMA = \"{}\"\n"
        "LAYOUT = \"{}\"  # of the tensors: any shape, rows of a length, or exactly the lab's dimensions\n"
        "ELEMENT = {}\nCOMMAND = \"{}\"\n",
        subject_.lab.name, subject_.rung.name, name_of(subject_.way), subject_.is_triton ? "triton" : "cuda",
        operator_name(subject_), operator_schema(subject_), kLayouts[static_cast<int>(subject_.layout)],
        operator_type(buffer(subject_.inputs[0]).spec.type), subject_.command);
    if (!subject_.is_triton) text += "KERNELS = Module(\"kernel.ptx\")\n";
    return text;
  }

  std::string checks() const {
    std::string text = R"(

def check_tensor(name, tensor, element):
    if tensor.dtype != element:
        raise ValueError(f"{NAME} takes {name} of {element}, and got one of {tensor.dtype}")


def check_shape(name, tensor, shape):
    if tuple(tensor.shape) != tuple(shape):
        raise ValueError(f"{NAME} takes {name} of the shape {tuple(shape)}, and got the shape {tuple(tensor.shape)}")


def check_dimensions(name, tensor, least, most):
    if not least <= tensor.dim() <= most:
        count = str(least) if least == most else f"{least} or more"
        raise ValueError(f"{NAME} takes {name} with {count} dimensions, and got the shape {tuple(tensor.shape)}")


def check_size(name, value, least, most, multiple):
    if least <= value <= most and value % multiple == 0:
        return
    allowed = str(least) if least == most else f"{least} to {most}"
    if multiple > 1:
        allowed += f" in multiples of {multiple}"
    raise ValueError(f"{NAME} takes {name} = {allowed}, and got {value}")


def check_devices(**tensors):
    for name, tensor in tensors.items():
        if not tensor.is_cuda:
            raise ValueError(f"{NAME} takes tensors of a CUDA device, and {name} is on {tensor.device}")
    if len({tensor.device for tensor in tensors.values()}) > 1:
        raise ValueError(f"{NAME} takes tensors of one device, and got several")
)";
    if (!subject_.is_triton)
      text += R"(

def ready(tensor):
    """Contiguous, and at an address that the kernel's 16-byte accesses can take; a copy only where it must be."""
    tensor = tensor.contiguous()
    return tensor if tensor.data_ptr() % 16 == 0 else tensor.clone()
)";
    return text;
  }

  std::string sizes_of() const {
    std::string text = fmt::format(
        "\n\ndef sizes_of({}):\n    \"\"\"The sizes, from shapes. Refuses, with a sentence, what the kernel does not "
        "take.\"\"\"\n",
        inputs_);
    for (const size_t input : subject_.inputs)
      text += indented(
          fmt::format("check_tensor(\"{0}\", {0}, {1})", buffer(input).name, operator_type(buffer(input).spec.type)));
    const std::string& first = buffer(subject_.inputs[0]).name;
    if (subject_.layout == OperatorLayout::any_shape) {
      text += indented(fmt::format("{} = {}.numel()", subject_.launches.sizes[0].name, first));
    } else if (subject_.layout == OperatorLayout::rows) {
      text += indented(fmt::format("check_dimensions(\"{0}\", {0}, 1, 64)", first));
      text += indented(fmt::format("rows, columns = math.prod({0}.shape[:-1]), {0}.shape[-1]", first));
    } else {
      text += exact_sizes();
    }
    for (size_t i = 0; i < subject_.inputs.size(); ++i) text += shape_check(i);
    for (const SizeDomain& size : subject_.launches.sizes) {
      const std::string check =
          fmt::format("check_size(\"{0}\", {0}, {1}, {2}, {3})", size.name, size.min, size.max, size.multiple_of);
      const bool may_be_empty = subject_.layout == OperatorLayout::any_shape ||
                                (subject_.layout == OperatorLayout::rows && size.name == "rows");
      text +=
          may_be_empty ? indented(fmt::format("if {} > 0:", size.name)) + "    " + indented(check) : indented(check);
    }
    return text + indented("return " + size_names(subject_));
  }

  /// Dimensions of the inputs, and the sizes that they are.
  std::string exact_sizes() const {
    std::string text;
    for (const size_t input : subject_.inputs)
      text += indented(
          fmt::format("check_dimensions(\"{0}\", {0}, {1}, {1})", buffer(input).name, buffer(input).shape.size()));
    for (const SizeDomain& size : subject_.launches.sizes) {
      std::string source = std::to_string(size.value);
      for (const size_t input : subject_.inputs)
        for (size_t i = 0; i < buffer(input).shape.size(); ++i)
          if (buffer(input).shape[i].is(size.name)) source = fmt::format("{}.shape[{}]", buffer(input).name, i);
      text += indented(size.name + " = " + source);
    }
    return text;
  }

  std::string shape_check(size_t index) const {
    const OperatorBuffer& input = buffer(subject_.inputs[index]);
    const std::string& first = buffer(subject_.inputs[0]).name;
    if (subject_.layout != OperatorLayout::exact && index == 0) return {};
    const bool like_first = subject_.layout == OperatorLayout::any_shape ||
                            (subject_.layout == OperatorLayout::rows && input.shape.size() == 2);
    return indented(fmt::format("check_shape(\"{0}\", {0}, {1})", input.name,
                                like_first ? first + ".shape" : size_rules_code(input.shape)));
  }

  std::string empty_code(const OperatorBuffer& one) const {
    const std::string& first = buffer(subject_.inputs[0]).name;
    const bool is_output = one.spec.role == Role::output;
    const bool like_first = is_output && (subject_.layout == OperatorLayout::any_shape ||
                                          (subject_.layout == OperatorLayout::rows && one.shape.size() == 2));
    const DType type = one.spec.type;
    return fmt::format("{} = torch.{}({}, dtype={}, device={}.device)", one.name,
                       one.spec.fill == Fill::zero ? "zeros" : "empty",
                       like_first ? first + ".shape" : size_rules_code(one.shape), operator_type(type), first);
  }

  std::string outputs_of() const {
    std::string text = fmt::format("\n\ndef outputs_of({}):\n", with_sizes());
    for (const size_t output : subject_.outputs) text += indented(empty_code(buffer(output)));
    return text + indented("return " + outputs());
  }

  std::string launch() const {
    std::string text = fmt::format(
        "\n\ndef launch({}):\n    \"\"\"The launch alone, on PyTorch's current stream: no operator, no "
        "gradient.\"\"\"\n",
        inputs_);
    return text + launch_body(/*wrapped=*/false);
  }

  /// `wrapped`: launches that torch.compile sees, of a triton_op.
  std::string launch_body(bool wrapped) const {
    std::string text = indented(size_names(subject_) + " = sizes_of(" + inputs_ + ")");
    const std::string& first = buffer(subject_.inputs[0]).name;
    std::string named;
    for (const size_t input : subject_.inputs)
      named += fmt::format("{}{}={}", named.empty() ? "" : ", ", buffer(input).name, buffer(input).name);
    text += indented("check_devices(" + named + ")");
    for (const size_t input : subject_.inputs) {
      const std::string& name = buffer(input).name;
      text += indented(subject_.is_triton ? fmt::format("{0} = {0}.contiguous()", name)
                                          : fmt::format("{0} = ready({0})", name));
    }
    text += indented(fmt::format("{} = outputs_of({})", outputs(), with_sizes()));
    if (subject_.layout != OperatorLayout::exact)
      text += indented(fmt::format("if {}.numel() == 0:", first)) + "    " + indented("return " + outputs());
    for (const size_t one : subject_.scratch) text += indented(empty_code(buffer(one)));
    for (const OperatorLaunch& one : subject_.launches.launches)
      text += subject_.is_triton ? triton_launch(one, wrapped) : cuda_launch(one, first);
    return text + indented("return " + outputs());
  }

  std::string cuda_launch(const OperatorLaunch& one, const std::string& first) const {
    std::string arguments;
    for (const OperatorArgument& argument : one.arguments)
      arguments += (arguments.empty() ? "" : ", ") + cuda_argument(argument);
    return indented(fmt::format("KERNELS.launch(\"{}\", ({}, {}, {}), ({}, {}, {}), {}, {}.device,", one.kernel,
                                one.grid[0].python(), one.grid[1].python(), one.grid[2].python(), one.block.x,
                                one.block.y, one.block.z, one.shared_bytes.python(), first)) +
           "                   [" + arguments + "])\n";
  }

  std::string cuda_argument(const OperatorArgument& argument) const {
    if (argument.kind == OperatorArgument::Kind::buffer) {
      const OperatorBuffer& one = buffer(argument.buffer);
      if (argument.offset_bytes == 0) return one.name;
      return fmt::format("{}.view(-1)[{}:]", one.name,
                         argument.offset_bytes / static_cast<int64_t>(size_of(one.spec.type)));
    }
    const size_t bytes = argument.constant.bytes.size();
    if (argument.kind == OperatorArgument::Kind::number)
      return fmt::format("{}({})", bytes == 4 ? "I32" : "I64", argument.number.python());
    if (argument.constant.number == ScalarArgument::Number::floating && (bytes == 4 || bytes == 8))
      return fmt::format("{}({})", bytes == 4 ? "F32" : "F64", number_code(argument.constant));
    std::string digits;
    for (const std::byte byte : argument.constant.bytes) digits += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return "raw(\"" + digits + "\")";
  }

  std::string triton_launch(const OperatorLaunch& one, bool wrapped) const {
    std::string arguments;
    const auto add = [&](const std::string& text) { arguments += (arguments.empty() ? "" : ", ") + text; };
    for (const OperatorArgument& argument : one.arguments) {
      if (argument.kind == OperatorArgument::Kind::buffer) {
        const OperatorBuffer& pointed = buffer(argument.buffer);
        const auto size = static_cast<int64_t>(size_of(pointed.spec.type));
        add(argument.offset_bytes == 0 ? pointed.name
                                       : fmt::format("{}.view(-1)[{}:]", pointed.name, argument.offset_bytes / size));
      } else if (argument.kind == OperatorArgument::Kind::number) {
        add(argument.number.python());
      } else {
        add(number_code(argument.constant));
      }
    }
    for (const OperatorConstexpr& constant : one.constexprs) {
      const auto* rule = std::get_if<SizeRule>(&constant.value);
      if (rule == nullptr)
        add(constant.name + "=" + constexpr_code(std::get<std::string>(constant.value)));
      else  // the compiler needs the number itself: under torch.compile the shape becomes a constant
        add(fmt::format("{}={}", constant.name, rule->is_constant() ? rule->python() : "int(" + rule->python() + ")"));
    }
    const auto has = [&](const char* name) {
      return std::ranges::find(one.constexprs, name, &OperatorConstexpr::name) != one.constexprs.end();
    };
    if (one.num_warps > 0 && !has("num_warps")) add(fmt::format("num_warps={}", one.num_warps));
    if (one.num_stages > 0 && !has("num_stages")) add(fmt::format("num_stages={}", one.num_stages));
    std::string grid = one.grid[0].python() + ",";
    const bool three = one.grid[2] != SizeRule{}, two = three || one.grid[1] != SizeRule{};
    if (two) grid += " " + one.grid[1].python();
    if (three) grid += ", " + one.grid[2].python();
    const std::string launched = "kernel." + one.kernel;
    return indented(fmt::format("{}[({})](", wrapped ? "wrap_triton(" + launched + ")" : launched, grid)) + "    " +
           indented(arguments) + indented(")");
  }

  std::string registration() const {
    switch (subject_.way) {
      case OperatorWay::library:
        return helpers() + library();
      case OperatorWay::custom_op:
        return helpers() + custom_op();
      case OperatorWay::triton_op:
        return helpers() + triton_op();
    }
    return {};
  }

  /// What all ways register: the CPU's implementation, shapes, and the backward pass.
  std::string helpers() const {
    std::string text;
    if (subject_.way != OperatorWay::triton_op) {
      std::string doubles;
      for (const size_t input : subject_.inputs)
        doubles += (doubles.empty() ? "" : ", ") + buffer(input).name + ".double()";
      text += fmt::format(
          "\n\ndef on_cpu({}):\n    \"\"\"The formula in float64, rounded at the end.\"\"\"\n    sizes_of({})\n",
          inputs_, inputs_);
      text += indented(fmt::format("{} = reference.forward({})", outputs(), doubles));
      for (const size_t output : subject_.outputs)
        text += indented(fmt::format("{0} = {0}.to({1}, memory_format=torch.contiguous_format)", buffer(output).name,
                                     operator_type(buffer(output).spec.type)));
      text += indented("return " + outputs());
      text += fmt::format(
          "\n\ndef fake({}):\n    \"\"\"Shapes and types without values: all that torch.compile needs to "
          "trace.\"\"\"\n",
          inputs_);
      text += indented(fmt::format("{} = sizes_of({})", size_names(subject_), inputs_));
      text += indented(fmt::format("return outputs_of({})", with_sizes()));
    }
    return text + gradient_helpers();
  }

  std::string gradient_helpers() const {
    std::string gradients;
    for (const size_t output : subject_.outputs)
      gradients += (gradients.empty() ? "grad_" : ", grad_") + buffer(output).name;
    const bool narrow = buffer(subject_.inputs[0]).spec.type != DType::f32;
    std::string text = "\n\ndef setup_context(ctx, inputs, output):\n    ctx.save_for_backward(*inputs)\n";
    text += fmt::format("\n\ndef backward(ctx, {}):\n", gradients);
    if (!narrow) return text + indented(fmt::format("return reference.backward(*ctx.saved_tensors, {})", gradients));
    text += indented("inputs = [one.float() for one in ctx.saved_tensors]");
    text += indented(fmt::format("found = reference.backward(*inputs, *[one.float() for one in ({},)])", gradients));
    if (subject_.inputs.size() == 1) return text + indented("return found.to(ELEMENT)");
    return text + indented("return tuple(one.to(ELEMENT) for one in found)");
  }

  std::string library() const {
    const std::string name = operator_identifier(subject_);
    return fmt::format(R"(

# "FRAGMENT" adds to a namespace to which other files add too; "DEF" would claim it for this file alone.
definitions = torch.library.Library("tilescope", "FRAGMENT")
definitions.define("{0}" + SCHEMA)

# "IMPL" defines nothing: it gives implementations to operators that are defined elsewhere, one for each dispatch key.
implementations = torch.library.Library("tilescope", "IMPL")
implementations.impl("{0}", launch, "CUDA")
implementations.impl("{0}", on_cpu, "CPU")
implementations.impl("{0}", fake, "Meta")

# An implementation for the key Autograd: it notes what backward needs, then calls the key below.
torch.library.register_autograd(NAME, backward, setup_context=setup_context, lib=definitions)
)",
                       name);
  }

  std::string custom_op() const {
    return fmt::format(R"(

# The schema follows from the annotations. mutates_args names the inputs that the operator writes to: none.
@torch.library.custom_op(NAME, mutates_args=(), device_types="cuda")
def op({0}) -> {1}:
    return launch({2})


op.register_kernel("cpu")(on_cpu)
op.register_fake(fake)
op.register_autograd(backward, setup_context=setup_context)
)",
                       typed_inputs(), result_type(), inputs_);
  }

  std::string triton_op() const {
    return fmt::format(R"(

# torch.compile traces this function as well: wrap_triton makes each launch a node of the graph. It is its own fake
# implementation, so it may use nothing but PyTorch's operators and wrapped launches.
@torch.library.triton_op(NAME, mutates_args=())
def op({0}) -> {1}:
)",
                       typed_inputs(), result_type()) +
           launch_body(/*wrapped=*/true) + "\n\nop.register_autograd(backward, setup_context=setup_context)\n";
  }

  std::string calls() const {
    return fmt::format(R"(

def overload():
    return torch.ops.tilescope.{0}.default


def call({1}):
    """The operator, through the dispatcher."""
    return torch.ops.tilescope.{0}({1})
)",
                       operator_identifier(subject_), inputs_);
  }

  const OperatorSubject& subject_;
  std::string inputs_;
};

}  // namespace

std::string torch_op_code(const OperatorSubject& subject) { return TorchOp(subject).make(); }

}  // namespace tilescope
