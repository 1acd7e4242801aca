#include "engine/sim/program/special_registers.hpp"

namespace tilescope {
namespace {

constexpr SpecialRegisterInfo kSpecials[] = {
    {"%tid.x", SpecialRegister::tid_x, 4, true},
    {"%tid.y", SpecialRegister::tid_y, 4, true},
    {"%tid.z", SpecialRegister::tid_z, 4, true},
    {"%laneid", SpecialRegister::laneid, 4, true},
    {"%warpid", SpecialRegister::warpid, 4, true},
    {"%lanemask_eq", SpecialRegister::lanemask_eq, 4, true},
    {"%lanemask_le", SpecialRegister::lanemask_le, 4, true},
    {"%lanemask_lt", SpecialRegister::lanemask_lt, 4, true},
    {"%lanemask_ge", SpecialRegister::lanemask_ge, 4, true},
    {"%lanemask_gt", SpecialRegister::lanemask_gt, 4, true},
    {"%ntid.x", SpecialRegister::ntid_x, 4, false},
    {"%ntid.y", SpecialRegister::ntid_y, 4, false},
    {"%ntid.z", SpecialRegister::ntid_z, 4, false},
    {"%nctaid.x", SpecialRegister::nctaid_x, 4, false},
    {"%nctaid.y", SpecialRegister::nctaid_y, 4, false},
    {"%nctaid.z", SpecialRegister::nctaid_z, 4, false},
    {"%nwarpid", SpecialRegister::nwarpid, 4, false},
    {"%dynamic_smem_size", SpecialRegister::dynamic_smem_size, 4, false},
    {"%total_smem_size", SpecialRegister::total_smem_size, 4, false},
    {"%nsmid", SpecialRegister::nsmid, 4, false},
    {"%smid", SpecialRegister::smid, 4, false},
    {"%gridid", SpecialRegister::gridid, 8, false},
    // Address of the grid barrier of cooperative_groups.
    {"%envreg1", SpecialRegister::workspace_high, 4, false},
    {"%envreg2", SpecialRegister::workspace_low, 4, false},
    {"%aggr_smem_size", SpecialRegister::total_smem_size, 4, false},
    {"%reserved_smem_offset_begin", SpecialRegister::zero, 4, false},
    {"%reserved_smem_offset_end", SpecialRegister::zero, 4, false},
    {"%reserved_smem_offset_cap", SpecialRegister::zero, 4, false},
    {"%current_graph_exec", SpecialRegister::zero_wide, 8, false},
    // Each block is its own cluster.
    {"%clusterid.x", SpecialRegister::ctaid_x, 4, false},
    {"%clusterid.y", SpecialRegister::ctaid_y, 4, false},
    {"%clusterid.z", SpecialRegister::ctaid_z, 4, false},
    {"%nclusterid.x", SpecialRegister::nctaid_x, 4, false},
    {"%nclusterid.y", SpecialRegister::nctaid_y, 4, false},
    {"%nclusterid.z", SpecialRegister::nctaid_z, 4, false},
    {"%cluster_ctaid.x", SpecialRegister::zero, 4, false},
    {"%cluster_ctaid.y", SpecialRegister::zero, 4, false},
    {"%cluster_ctaid.z", SpecialRegister::zero, 4, false},
    {"%cluster_nctaid.x", SpecialRegister::one, 4, false},
    {"%cluster_nctaid.y", SpecialRegister::one, 4, false},
    {"%cluster_nctaid.z", SpecialRegister::one, 4, false},
    {"%cluster_ctarank", SpecialRegister::zero, 4, false},
    {"%cluster_nctarank", SpecialRegister::one, 4, false},
    {"%ctaid.x", SpecialRegister::ctaid_x, 4, false},
    {"%ctaid.y", SpecialRegister::ctaid_y, 4, false},
    {"%ctaid.z", SpecialRegister::ctaid_z, 4, false},
};

}  // namespace

const SpecialRegisterInfo* find_special_register(std::string_view name) {
  for (const auto& info : kSpecials)
    if (info.name == name) return &info;
  // Read-only values of the driver and the profiler's counters: they are never set here.
  static constexpr SpecialRegisterInfo kZero = {"", SpecialRegister::zero, 4, false};
  static constexpr SpecialRegisterInfo kZeroWide = {"", SpecialRegister::zero_wide, 8, false};
  const auto numbered = [&](std::string_view stem, std::string_view end, int limit) {
    if (!name.starts_with(stem) || !name.ends_with(end)) return false;
    const std::string_view digits = name.substr(stem.size(), name.size() - stem.size() - end.size());
    int number = 0;
    for (char c : digits) {
      if (c < '0' || c > '9' || digits.size() > 2) return false;
      number = 10 * number + (c - '0');
    }
    return !digits.empty() && number < limit;
  };
  if (numbered("%envreg", "", 32) || numbered("%pm", "", 8)) return &kZero;
  return numbered("%pm", "_64", 8) ? &kZeroWide : nullptr;
}

}  // namespace tilescope
