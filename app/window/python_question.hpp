// Before a Python file is opened that the user has not opened before: opening it runs it.
#pragma once

#include "app/views/context.hpp"

namespace tilescope {

void draw_python_question(PanelContext& context, Sandbox& sandbox);

}  // namespace tilescope
