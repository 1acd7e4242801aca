// A lab's kernel as a PyTorch operator: a folder that runs with PyTorch alone.
//
//     auto folder = operator_folder(engine, request, OperatorWay::custom_op, command);
//     folder->files                          // torch_op.py, kernel.cu, reference.py, cases.py, tests, README.md
//     add_ptx(engine, *folder, stop);        // kernel.ptx, for a CUDA kernel: takes a compilation
//     write_operator_folder(*folder, path);  // refuses a folder that holds other files
//
// The operator is registered in one of three ways. `library` calls torch.library.Library's define and impl, custom_op
// and triton_op are the decorators of those names. A triton_op shows its Triton kernels to torch.compile.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plan.hpp"
#include "engine/request.hpp"
#include "engine/result.hpp"
#include "engine/torch_operator/operator_launches.hpp"

namespace tilescope {

class Engine;

enum class OperatorWay { library, custom_op, triton_op };
inline constexpr OperatorWay kOperatorWays[] = {OperatorWay::library, OperatorWay::custom_op, OperatorWay::triton_op};
std::string_view name_of(OperatorWay way);  ///< "custom_op"
std::optional<OperatorWay> operator_way_from(std::string_view name);

struct OperatorFolder {
  std::vector<SourceFile> files = {};  // without folders in their names
  std::string name = {};               // "tilescope::vector_add"
  std::string schema = {};             // "(Tensor a, Tensor b) -> Tensor"
  OperatorWay way = OperatorWay::custom_op;
  OperatorLaunches launches = {};
  Plan plan = {};
  bool is_triton = false;
  const SourceFile* find(std::string_view file) const;
};

/// Everything but the PTX. An Error in one sentence for labs, rungs and ways that cannot be exported.
Result<OperatorFolder> operator_folder(const Engine& engine, const Request& request, OperatorWay way,
                                       const std::string& command);
/// Compiles a CUDA kernel and adds kernel.ptx; does nothing for a Triton kernel.
Result<void> add_ptx(const Engine& engine, OperatorFolder& folder, std::stop_token stop = {});
/// Makes the folder if it is missing. Replaces files that an export has written, and refuses a folder with any other.
Result<void> write_operator_folder(const OperatorFolder& folder, const std::filesystem::path& path);

/// The command line that writes the folder.
std::string export_command(const Request& request, OperatorWay way, const std::string& folder);

}  // namespace tilescope
