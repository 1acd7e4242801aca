// What a view shows of a run whose blocks were not observed: why, and a button that runs a size that is executed in
// full.
#pragma once

#include "app/views/context.hpp"

namespace tilescope {

/// Fills the view. The result must not have been observed.
void draw_not_observed(PanelContext& context);

/// The button alone, below an empty state; nothing if all blocks of the result were executed.
void offer_full_run(PanelContext& context);

}  // namespace tilescope
