#include "app/views/panels.hpp"

#include "app/panels/source/source_view.hpp"
#include "app/panels/speed/speed_views.hpp"

namespace tilescope {

Panels::Panels() : source(std::make_unique<SourcePanel>()), speed(std::make_unique<SpeedPanel>()) {}
Panels::~Panels() = default;

}  // namespace tilescope
