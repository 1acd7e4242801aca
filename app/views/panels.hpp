// The panels that surround every view, with their state between frames.
#pragma once

#include <memory>

namespace tilescope {

class SourcePanel;  // app/panels/source/source_view.hpp
struct SpeedPanel;  // app/panels/speed/speed_views.hpp

struct Panels {
  Panels();
  Panels(const Panels&) = delete;
  Panels& operator=(const Panels&) = delete;
  ~Panels();

  std::unique_ptr<SourcePanel> source;
  std::unique_ptr<SpeedPanel> speed;
};

}  // namespace tilescope
