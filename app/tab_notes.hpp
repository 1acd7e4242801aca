// What each tab of the views is for, and whether it has anything to show for the present result.
#pragma once

#include "app/panel_context.hpp"
#include "app/widgets.hpp"

namespace tilescope {

TabNote note_of_tab(const PanelContext& context, Tab tab);

}  // namespace tilescope
