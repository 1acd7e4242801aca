// tilescope export-op LAB FOLDER: a lab's kernel as a PyTorch operator.
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/commands.hpp"
#include "engine/json_text.hpp"
#include "engine/report/report.hpp"
#include "engine/torch_operator/operator_folder.hpp"

namespace tilescope {
namespace {

using nlohmann::ordered_json;

std::string size_text(const SizeDomain& size) {
  if (!size.is_free) return fmt::format("{} = {} only", size.name, size.value);
  std::string text = fmt::format("{} from {} to {}", size.name, size.min, size.max);
  if (size.multiple_of > 1) text += fmt::format(" in multiples of {}", size.multiple_of);
  return text;
}

ordered_json folder_json(const OperatorFolder& folder, const ExportOpOptions& options) {
  ordered_json object{{"operator", folder.name},        {"schema", folder.name + folder.schema},
                      {"way", name_of(folder.way)},     {"folder", options.folder},
                      {"sizes", ordered_json::array()}, {"files", ordered_json::array()}};
  for (const SizeDomain& size : folder.launches.sizes) {
    ordered_json one{{"name", size.name}, {"free", size.is_free}, {"exported", size.value}};
    if (size.is_free) one.update({{"min", size.min}, {"max", size.max}, {"multiple_of", size.multiple_of}});
    object["sizes"].push_back(std::move(one));
  }
  object["compared_at"] = folder.launches.probes;
  for (const SourceFile& file : folder.files) object["files"].push_back(file.file);
  return object;
}

std::string folder_text(const OperatorFolder& folder, const ExportOpOptions& options) {
  std::string text = fmt::format("{}{}, by {}\n", folder.name, folder.schema, name_of(folder.way));
  for (const SizeDomain& size : folder.launches.sizes) text += "  " + size_text(size) + "\n";
  text += fmt::format("{}:", options.folder);
  for (const SourceFile& file : folder.files) text += " " + file.file;
  return text + fmt::format(
                    "\nTest it where PyTorch with CUDA is:  python3 {0}/test_operator.py\n"
                    "Measure it there:                    python3 {0}/measure.py\n",
                    options.folder);
}

}  // namespace

int export_op_command(Engine& engine, const ExportOpOptions& options, std::ostream& out, std::ostream& problems) {
  RunOptions run = options.run;
  run.device = "gpu";  // sizes and parameters are those of a GPU, whether there is one here or not
  const auto request = make_request(run);
  if (!request) return report_error(request.error(), run.json, out, problems);
  const auto way = operator_way_from(options.way.empty() ? "custom_op" : options.way);
  auto folder = operator_folder(engine, *request, *way, export_command(*request, *way, options.folder));
  if (!folder) return report_error(folder.error(), run.json, out, problems);
  if (const auto compiled = add_ptx(engine, *folder); !compiled)
    return report_error(compiled.error(), run.json, out, problems);
  if (const auto written = write_operator_folder(*folder, options.folder); !written)
    return report_error(written.error(), run.json, out, problems);
  out << (run.json ? json_text(folder_json(*folder, options), 2) + "\n" : folder_text(*folder, options));
  return kClean;
}

}  // namespace tilescope
