// Shared by the parts of the tune view.
//
//     sentence, badge
//     maps: these sizes · 4,096 × 4,096 × 4,096 on an H100 …
//     ┌ the heat map over two axes ──────────┐  axes and what is held     tune_side.cpp
//     │ tune_map.cpp                         │  the cell under the pointer
//     └──────────────────────────────────────┘  Use the best, Compile, Tune
//     regret of three searches against trials   tune_curves.cpp
#pragma once

#include <string>
#include <vector>

#include "app/views/context.hpp"
#include "app/views/tune/tune_model.hpp"
#include "app/views/view.hpp"

namespace tilescope {

class TuneView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool concerns(const Session& session) const override { return tuned_rung(session) != nullptr; }
  bool needs_no_run() const override { return true; }
  Lower lower(const PanelContext&, bool) const override { return {.lowered = 110}; }

  // For tests.
  const TuneMap* shown_map() const;
  const TuneSlice& slice() const { return slice_; }
  const std::vector<RegretOfSeeds>& replays() const { return replays_; }

 private:
  struct Known {  // what the content was made of
    std::string lab, rung, gpu;
    Config config;
    DeviceKind device = DeviceKind::sim;
    std::shared_ptr<const TuneSnapshot> snapshot;
    bool running = false;
    bool operator==(const Known&) const = default;
  };
  void update(PanelContext& context, const Rung& rung);
  void choose_map(size_t index);
  void use_entry(PanelContext& context, size_t entry);

  float draw_sentence(PanelContext& context, ImVec2 low, float right);
  float draw_maps(PanelContext& context, ImVec2 low, float right);
  float draw_heat_map(PanelContext& context, ImVec2 low, ImVec2 high);
  void draw_cell(PanelContext& context, const TuneCell& cell, ImVec2 low, ImVec2 high);
  void draw_legend(PanelContext& context, ImVec2 low, float right);
  float draw_side(PanelContext& context, ImVec2 low, float right);
  float draw_axes(PanelContext& context, ImVec2 low, float right);
  float draw_held(PanelContext& context, ImVec2 low, float right);
  float draw_actions(PanelContext& context, ImVec2 low, float right);
  float draw_entry(PanelContext& context, ImVec2 low, float right);
  float draw_curves(PanelContext& context, ImVec2 low, float right);
  std::string sentence_of_entry(const PanelContext& context, size_t entry) const;
  Badge badge() const;

  std::optional<Known> known_;
  TuneContent content_;
  size_t map_ = 0;  // 0: that of the sliders' sizes, else one of content_.known
  bool chosen_by_hand_ = false;
  TuneSlice slice_;
  std::optional<size_t> best_;
  std::optional<size_t> pointed_;  // the entry under the pointer
  std::vector<RegretOfSeeds> replays_;
  std::optional<std::pair<size_t, std::string>> replayed_;  // trials, and the map's date
  size_t trials_ = 16;
  SearchKind search_ = SearchKind::halving;
  double budget_ = 60;
};

/// "M × N × K" of a map: "4,096 × 4,096 × 4,096".
std::string tune_sizes(const Lab& lab, const TuneMap& map);
/// The command that tunes this space, with what it holds fixed.
std::string tune_command_of(const SpaceRequest& space);
/// Between two sentences: Chinese has no space there.
inline std::string tune_gap(const Strings& strings) { return strings.language == Language::en ? " " : ""; }
std::string limiter_text(const PanelContext& context, Limiter limiter);

}  // namespace tilescope
