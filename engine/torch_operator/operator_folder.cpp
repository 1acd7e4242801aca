#include "engine/torch_operator/operator_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include "engine/compile/python_parts.hpp"
#include "engine/host_program/kernel_text.hpp"
#include "engine/kernel_language.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/plan_compilation.hpp"
#include "engine/text_file.hpp"
#include "engine/torch_operator/operator_code.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// Files of assets/python/operator, as they are. The driver is for CUDA kernels.
constexpr const char* kDriver = "cuda_driver.py";
constexpr const char* kCopied[] = {"sizes.py", "test_operator.py", "measure.py"};

tl::unexpected<Error> refused(const Phrase& why) {
  return tl::unexpected<Error>(
      make_error(ErrorId::usage, {why}, Phrase("Run 'tilescope export-op --help' for the labs and the ways.")));
}

std::string names_of_exported_labs() {
  std::string names;
  for (const TorchReference& one : torch_references()) names += (names.empty() ? "" : ", ") + one.lab;
  return names;
}

std::string triton_rungs_of(const Lab& lab) {
  std::string names;
  for (const Rung& rung : lab.rungs)
    if (language_of(source_file_of(lab, rung)) == KernelLanguage::triton)
      names += (names.empty() ? "" : ", ") + rung.name;
  return names;
}

/// Refuses labs and rungs that no operator is written for.
Result<void> check_subject(const Lab& lab, const Rung& rung, const Request& request, const Resolved& resolved) {
  if (find_lab(request.lab) == nullptr || find_torch_reference(lab.name) == nullptr)
    return refused(phrase(
        "the lab {} is not exported: PyTorch has no counterpart to test it against; the labs that are exported are {}",
        lab.name, names_of_exported_labs()));
  if (!request.broken.empty())
    return refused(Phrase("a kernel with a planted bug is not exported; turn the switches off"));
  if (resolved.pick)
    return refused(
        phrase("the rung {} picks a different rung for each size, and an operator is one kernel; here it picks {}, "
               "which can be exported",
               rung.name, resolved.rung->name));
  return {};
}

Result<void> check_way(const Lab& lab, const Rung& rung, OperatorWay way, bool is_triton) {
  if (way != OperatorWay::triton_op || is_triton) return {};
  const std::string others = triton_rungs_of(lab);
  if (others.empty())
    return refused(
        phrase("triton_op takes Triton kernels, and the lab {} has none; use library or custom_op", lab.name));
  return refused(phrase("triton_op takes Triton kernels, and the rung {} is CUDA C++; the lab's Triton rungs are {}",
                        rung.name, others));
}

std::string cuda_text(const Engine& engine, const Plan& plan, const OperatorSubject& subject) {
  const KernelText kernel = kernel_text(plan, engine.root(), engine.root() / "kernels");
  std::string text =
      fmt::format("// The kernels of {}, with what they use. kernel.ptx is this file, compiled for compute_80.\n\n",
                  operator_name(subject));
  for (const std::string& header : kernel.system_headers) text += "#include <" + header + ">\n";
  for (const Define& define : kernel.defines) text += "#define " + define.name + " " + define.value + "\n";
  return text + "\n" + kernel.text;
}

std::string triton_text(const Plan& plan, const OperatorSubject& subject) {
  std::vector<std::string> lines, kernels;
  for (size_t begin = 0; begin < plan.source_text.size();) {
    const size_t end = std::min(plan.source_text.find('\n', begin), plan.source_text.size());
    lines.push_back(plan.source_text.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const Launch& launch : plan.launches) kernels.push_back(launch.kernel);
  std::string text = fmt::format("\"\"\"The kernels of {}, with what they use.\"\"\"\n\n", operator_name(subject));
  for (const std::string& line : lines)
    if (line.starts_with("import ") || line.starts_with("from ")) text += line + "\n";
  for (const UsedPart& part : used_python_parts(plan.source_text, kernels)) {
    text += "\n\n";
    for (uint32_t line = part.first_line; line <= part.last_line && line <= lines.size(); ++line)
      text += lines[line - 1] + "\n";
  }
  return text;
}

/// "rows: 1 to 65,536".
std::string domain_text(const SizeDomain& size) {
  if (!size.is_free) return fmt::format("{}: {}, as exported", size.name, size.value);
  std::string text = fmt::format("{}: {} to {}", size.name, size.min, size.max);
  if (size.multiple_of > 1) text += fmt::format(", multiples of {}", size.multiple_of);
  return text;
}

std::string readme(const OperatorSubject& subject) {
  std::string sizes;
  for (const SizeDomain& size : subject.launches.sizes) sizes += "- " + domain_text(size) + "\n";
  return fmt::format(
      R"(# {0}

The kernel of Tilescope's lab {2}, rung {3}, as a PyTorch operator, registered by `{4}`. It computes
{1}.

```
python3 test_operator.py      # values, shapes, opcheck, gradients, torch.compile
python3 measure.py            # graph breaks, kernels, µs per call
```

```python
import torch, torch_op
torch.ops.tilescope.{5}{6}
```

Sizes that it takes:

{7}
The formulas of grids and arguments equal the lab's launch at all {8} sizes at which they were compared. Block sizes and
other constants are those of the settings it was exported with.

| file | what it is |
|---|---|
| `torch_op.py` | the operator: checks, launch, registration |
{9}| `reference.py` | PyTorch's counterpart and the gradients |
| `cases.py` | sizes and tolerances of the tests |
| `sizes.py` | the functions in which grids are computed |
| `test_operator.py`, `measure.py` | as above |

It needs PyTorch 2.6 or later with CUDA{10}.
Written by

```
{11}
```
)",
      operator_name(subject), subject.reference.what, subject.lab.name, subject.rung.name, name_of(subject.way),
      operator_identifier(subject), "(" + buffer_names(subject, subject.inputs) + ")", sizes, subject.launches.probes,
      subject.is_triton ? "| `kernel.py` | the Triton kernels |\n"
                        : "| `kernel.cu`, `kernel.ptx` | the kernels, and what NVRTC made of them |\n"
                          "| `cuda_driver.py` | loads the PTX and launches it |\n",
      subject.is_triton
          ? " and Triton"
          : ", and a driver that is no older than the CUDA release which the first lines of kernel.ptx name",
      subject.command);
}

Result<void> add_copied(const Engine& engine, OperatorFolder& folder) {
  const fs::path from = engine.root() / "assets" / "python" / "operator";
  std::vector<std::string> names(std::begin(kCopied), std::end(kCopied));
  if (!folder.is_triton) names.insert(names.begin(), kDriver);
  for (const std::string& name : names) {
    auto text = read_text(from / name);
    if (!text) return fail(ErrorId::asset_missing, name, from.string());
    folder.files.push_back({name, std::move(*text)});
  }
  return {};
}

/// Every name that an export may write.
const std::set<std::string>& written_names() {
  static const std::set<std::string> names{"torch_op.py", "reference.py", "cases.py",    "kernel.cu",
                                           "kernel.ptx",  "kernel.py",    "README.md",   "cuda_driver.py",
                                           "sizes.py",    "measure.py",   "__pycache__", "test_operator.py"};
  return names;
}

}  // namespace

std::string_view name_of(OperatorWay way) {
  switch (way) {
    case OperatorWay::library:
      return "library";
    case OperatorWay::custom_op:
      return "custom_op";
    case OperatorWay::triton_op:
      return "triton_op";
  }
  return {};
}

std::optional<OperatorWay> operator_way_from(std::string_view name) {
  for (const OperatorWay way : kOperatorWays)
    if (name_of(way) == name) return way;
  return std::nullopt;
}

const SourceFile* OperatorFolder::find(std::string_view file) const {
  const auto found = std::ranges::find(files, file, &SourceFile::file);
  return found == files.end() ? nullptr : &*found;
}

Result<OperatorFolder> operator_folder(const Engine& engine, const Request& request, OperatorWay way,
                                       const std::string& command) {
  const Lab* lab = lab_of(request);
  if (lab == nullptr) return fail(ErrorId::lab_not_found, request.lab, names_of_exported_labs());
  const auto resolved = engine.resolve(request);
  if (!resolved) return forward(resolved);
  const Rung* named = find_rung(*lab, request.rung);
  if (auto possible = check_subject(*lab, named != nullptr ? *named : *resolved->rung, request, *resolved); !possible)
    return forward(possible);
  auto plan = engine.plan(request);
  if (!plan) return forward(plan);
  OperatorFolder folder{.way = way, .is_triton = language_of(plan->source_file) == KernelLanguage::triton};
  if (auto possible = check_way(*lab, *resolved->rung, way, folder.is_triton); !possible) return forward(possible);
  auto launches = operator_launches(*lab, *resolved->rung, resolved->config);
  if (!launches)
    return refused(phrase("the rung {} of {} is not exported: {}", resolved->rung->name, lab->name, launches.error()));
  OperatorSubject subject{.lab = *lab,
                          .rung = *resolved->rung,
                          .config = resolved->config,
                          .reference = *find_torch_reference(lab->name),
                          .launches = *launches,
                          .way = way,
                          .is_triton = folder.is_triton,
                          .command = command};
  if (Phrase reason = settle_operator(subject); !reason.empty())
    return refused(phrase("the rung {} of {} is not exported: {}", resolved->rung->name, lab->name, reason));
  folder.name = operator_name(subject);
  folder.schema = operator_schema(subject);
  folder.files = {{"torch_op.py", torch_op_code(subject)},
                  {folder.is_triton ? "kernel.py" : "kernel.cu",
                   folder.is_triton ? triton_text(*plan, subject) : cuda_text(engine, *plan, subject)},
                  {"reference.py", reference_code(subject)},
                  {"cases.py", cases_code(subject)},
                  {"README.md", readme(subject)}};
  if (auto copied = add_copied(engine, folder); !copied) return forward(copied);
  folder.launches = std::move(*launches);
  folder.plan = std::move(*plan);
  return folder;
}

Result<void> add_ptx(const Engine& engine, OperatorFolder& folder, std::stop_token stop) {
  if (folder.is_triton || folder.find("kernel.ptx") != nullptr) return {};
  auto compiler = engine.compiler_for(folder.plan.source_file);
  if (!compiler) return forward(compiler);
  CompilationTarget target{.kernels_folder = (engine.root() / "kernels").string(), .machine_code = false};
  PlanCompilation compilation(*compiler, folder.plan, target, stop);
  auto module = compilation.ptx();
  if (!module) return forward(module);
  folder.files.push_back({"kernel.ptx", std::move(module->ptx)});
  return {};
}

Result<void> write_operator_folder(const OperatorFolder& folder, const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return fail(ErrorId::file_not_written, path.string(), error.message());
  for (const auto& entry : fs::directory_iterator(path, error))
    if (!written_names().contains(entry.path().filename().string()))
      return refused(phrase("the folder {} holds {}, which no export has written; name an empty folder or a new one",
                            path.string(), entry.path().filename().string()));
  if (error) return fail(ErrorId::file_not_written, path.string(), error.message());
  for (const std::string& name : written_names())  // they may be of an earlier export
    if (name != "__pycache__" && folder.find(name) == nullptr) fs::remove(path / name, error);
  for (const SourceFile& file : folder.files) {
    std::ofstream stream(path / file.file, std::ios::binary);
    stream << file.text;
    stream.close();
    if (!stream) return fail(ErrorId::file_not_written, (path / file.file).string(), std::strerror(errno));
  }
  return {};
}

std::string export_command(const Request& request, OperatorWay way, const std::string& folder) {
  std::string text =
      fmt::format("tilescope export-op {} --rung {} --way {} {}", request.lab, request.rung, name_of(way), folder);
  const Lab* lab = lab_of(request);
  if (lab == nullptr) return text;
  const Config usual = default_config(*lab, DeviceKind::gpu);
  for (const auto& [name, value] : request.config.sizes)
    if (usual.sizes.at(name) != value) text += fmt::format(" --size {}={}", name, value);
  for (const auto& [name, value] : request.config.params)
    if (usual.params.at(name) != value) text += fmt::format(" --set {}={}", name, param_text(*lab, name, value));
  return text;
}

}  // namespace tilescope
