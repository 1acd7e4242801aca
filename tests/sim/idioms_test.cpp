// Correct synchronization stays silent; without one of its fences, barriers or orderings it is incorrect, and the twin
// of each idiom is found.
#include <set>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

struct Idiom {
  const char* module;
  const char* name;
  uint32_t blocks, threads;
  const char* finding;  // of the twin
};
void PrintTo(const Idiom& idiom, std::ostream* out) { *out << idiom.name; }

constexpr const char *kGlobal = "global-race", *kShared = "shared-race";
constexpr const char *kBlocks = "idioms_blocks", *kGrids = "idioms_grids", *kThreads = "idioms_threads";
constexpr const char* kAtomics = "idioms_atomics";
// clang-format off
constexpr Idiom kIdioms[] = {
    {kBlocks, "message_volatile", 2, 32, kGlobal},
    {kBlocks, "message_release", 2, 32, kGlobal},
    {kBlocks, "message_scope", 2, 32, kGlobal},
    {kBlocks, "message_exchange", 2, 32, kGlobal},
    {kBlocks, "message_reduction", 2, 32, kGlobal},
    {kBlocks, "message_fence_of_block", 2, 32, kGlobal},
    {kBlocks, "message_of_all_threads", 2, 64, kGlobal},
    {kBlocks, "message_before_barrier", 2, 64, kGlobal},
    {kBlocks, "message_behind_barrier", 2, 64, kGlobal},
    {kBlocks, "chain_of_messages", 3, 32, kGlobal},
    {kBlocks, "chain_of_atomics", 3, 32, kGlobal},
    {kBlocks, "initialise_once", 8, 32, kGlobal},
    {kBlocks, "ring", 2, 32, kGlobal},
    {kBlocks, "turns_with_reset", 4, 64, kGlobal},
    {kBlocks, "reset_of_a_counter", 2, 32, kGlobal},
    {kBlocks, "semaphore_of_slices", 4, 64, kGlobal},
    {kBlocks, "spin_lock_exchange", 8, 32, kGlobal},
    {kBlocks, "spin_lock_volatile", 8, 32, kGlobal},
    {kBlocks, "spin_lock_acquire", 8, 32, kGlobal},
    {kBlocks, "lock_of_all_threads", 8, 64, kGlobal},
    {kBlocks, "ticket_lock", 8, 32, kGlobal},
    {kBlocks, "peterson", 2, 32, kGlobal},
    {kBlocks, "sequence_lock", 4, 32, kGlobal},
    {kGrids, "last_block_increments", 8, 64, kGlobal},
    {kGrids, "last_block_resets", 8, 32, kGlobal},
    {kGrids, "last_block_reads_volatile", 8, 32, kGlobal},
    {kGrids, "sum_of_blocks", 8, 32, kGlobal},
    {kGrids, "largest_so_far", 8, 32, kGlobal},
    {kGrids, "look_back_packed", 8, 32, kGlobal},
    {kGrids, "look_back_released", 8, 32, kGlobal},
    {kGrids, "stream_k_fix_up", 8, 64, kGlobal},
    {kGrids, "split_k_last_slice", 8, 64, kGlobal},
    {kGrids, "grid_sync", 8, 64, kGlobal},
    {kGrids, "grid_barrier_counts", 8, 64, kGlobal},
    {kGrids, "grid_barrier_of_warps", 8, 64, kGlobal},
    {kGrids, "grid_barrier_with_sense", 8, 64, kGlobal},
    {kGrids, "flag_of_each_block", 8, 64, kGlobal},
    {kGrids, "queue_of_work", 8, 32, kGlobal},
    {kGrids, "stop_flag", 8, 32, kGlobal},
    {kGrids, "atomic_ref_message", 2, 32, kGlobal},
    {kGrids, "atomic_ref_scope", 2, 32, kGlobal},
    {kGrids, "atomic_ref_lock", 8, 32, kGlobal},
    {kGrids, "atomic_thread_fence", 2, 32, kGlobal},
    {kThreads, "tile_in_two_steps", 1, 64, kShared},
    {kThreads, "two_tiles_in_turn", 1, 64, kShared},
    {kThreads, "tree_reduction", 1, 64, kShared},
    {kThreads, "sums_of_warps", 1, 64, kShared},
    {kThreads, "histogram_of_a_block", 1, 64, kShared},
    {kThreads, "vote_of_a_block", 1, 64, kShared},
    {kThreads, "exchange_in_global_memory", 1, 64, kGlobal},
    {kThreads, "read_before_overwritten", 1, 64, kGlobal},
    {kThreads, "group_sync", 1, 64, kShared},
    {kThreads, "named_barriers", 1, 64, kShared},
    {kThreads, "barrier_of_a_half", 1, 128, kShared},
    {kThreads, "mbarrier_of_all", 1, 64, kShared},
    {kThreads, "mbarriers_full_and_empty", 1, 64, kShared},
    {kThreads, "copies_behind_barrier", 1, 64, kShared},
    {kThreads, "copies_waited_for", 1, 64, "async-copy-not-waited"},
    {kThreads, "copies_in_two_stages", 1, 64, kShared},
    {kThreads, "flag_between_warps", 1, 64, kShared},
    {kThreads, "lock_between_warps", 1, 64, kShared},
    {kThreads, "last_warp", 1, 128, kShared},
    {kThreads, "exchange_in_a_warp", 1, 32, kShared},
    {kThreads, "tree_in_a_warp", 1, 32, kShared},
    {kThreads, "tile_of_a_group", 1, 32, kShared},
    {kThreads, "votes_order_lanes", 1, 32, kShared},
    {kAtomics, "sum_by_compare_and_swap", 8, 32, kGlobal},
    {kAtomics, "sum_by_compare_and_swap_in_a_block", 2, 64, kShared},
    {kAtomics, "largest_with_a_look_before", 1, 64, kShared},
    {kAtomics, "result_behind_a_barrier", 1, 64, kShared},
};
// clang-format on

class Idioms : public testing::TestWithParam<Idiom> {
 protected:
  static LaunchReport run(const Idiom& idiom, const std::string& suffix) {
    Machinery machine;
    machine.input("flags", std::vector<int>(1024, 0));
    std::vector<float> values(4096);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 101);
    machine.input("data", values);
    machine.input("out", std::vector<float>(4096, 0));
    return machine.run(module_of(idiom.module), idiom.name + suffix, {idiom.blocks, 1, 1}, {idiom.threads, 1, 1});
  }
  static std::set<std::string> ids(const LaunchReport& report) {
    std::set<std::string> found;
    for (const Finding& finding : report.findings) found.insert(finding.id);
    return found;
  }
};

TEST_P(Idioms, CorrectSynchronizationIsSilent) {
  const auto report = run(GetParam(), "");
  for (const Finding& finding : report.findings) ADD_FAILURE() << finding.message;
}
TEST_P(Idioms, WithoutOnePartItIsFound) {
  const auto report = run(GetParam(), "_broken");
  EXPECT_TRUE(ids(report).contains(GetParam().finding)) << testing::PrintToString(ids(report));
}
INSTANTIATE_TEST_SUITE_P(All, Idioms, testing::ValuesIn(kIdioms),
                         [](const auto& idiom) { return std::string(idiom.param.name); });

}  // namespace
}  // namespace tilescope
