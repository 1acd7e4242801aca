#include "app/panels/panels.hpp"

#include "app/panels/source_view.hpp"
#include "app/panels/speed_views.hpp"

namespace tilescope {

Panels::Panels() : source(std::make_unique<SourcePanel>()), speed(std::make_unique<SpeedPanel>()) {}
Panels::~Panels() = default;

}  // namespace tilescope
