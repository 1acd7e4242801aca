// Asks for the name on the certificate, and says what the certificate will tell.
#pragma once

#include "app/views/context.hpp"

namespace tilescope {

/// Does nothing unless ViewState::asks_for_certificate. Returns whether to save it now.
bool draw_certificate_dialog(PanelContext& context);

}  // namespace tilescope
