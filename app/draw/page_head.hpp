// The head of a view that has several pages: a row of tabs with a line below it, and the badge of the chosen page.
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>

#include "app/draw/widgets.hpp"

namespace tilescope {

struct ViewPage {
  std::string name;
  TabNote note;
  std::optional<Badge> badge;
};

/// What is left of the window below the head, in pixels of the screen.
struct PageArea {
  ImVec2 low, high;
};

/// Draws the head; `current` becomes the page that is clicked. No value if there is no room for a page.
std::optional<PageArea> page_head(DrawContext& context, const char* id, std::span<const ViewPage> pages, int& current);

}  // namespace tilescope
