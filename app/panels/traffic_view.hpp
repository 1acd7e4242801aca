// The parts of the traffic view.
//
//     registers ⇄ global memory          traffic_flow.cpp
//     one warp instruction               traffic_instruction.cpp
//     ledger of the source lines         traffic_ledger.cpp
#pragma once

#include "app/panel_context.hpp"
#include "app/panels/traffic_facts.hpp"

namespace tilescope {

/// Everything derived from one result; rebuilt when another one comes.
struct TrafficPicture {
  ResultReference result;
  DataMovement total;
  std::vector<Band> bands;
  std::vector<LedgerRow> rows;
};

/// Each draws at a top left corner with a width and returns the height it took.
float draw_flow(PanelContext& context, const TrafficPicture& picture, ImVec2 low, float width);
float draw_instruction(PanelContext& context, ImVec2 low, float width);
float draw_ledger(PanelContext& context, const TrafficPicture& picture, ImVec2 low, float width);

}  // namespace tilescope
