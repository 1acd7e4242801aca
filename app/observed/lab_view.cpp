// Each lab keeps its own selection, playback and cursors: playback in one lab does not hide blocks in the others.
#include <utility>

#include "app/observed/view_state.hpp"

namespace tilescope {

void enter_lab(ViewState& view, const std::string& lab) {
  if (view.lab == lab) return;
  const std::string left = std::exchange(view.lab, lab);
  if (left.empty()) return;  // settings made before the first frame apply to the first lab
  LabView& shown = view;
  shown.playback.playing = shown.step.playing = shown.plane.playing = false;
  shown.zoom.moving = false;
  const StepFormat format = shown.step.format;
  const bool as_tiles = shown.plane.as_tiles;
  view.waits[left] = std::exchange(shown, {});
  if (const auto known = view.waits.find(lab); known != view.waits.end()) {
    shown = known->second;
    view.waits.erase(known);
  }
  // The display of values and planes is a preference, the same in every lab.
  shown.step.format = format;
  shown.plane.as_tiles = as_tiles;
}

}  // namespace tilescope
