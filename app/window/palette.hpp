// Ctrl+P: a list of labs, rungs and commands, narrowed by what is typed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/views/context.hpp"

namespace tilescope {

class Screen;

struct PaletteEntry {
  std::string title, detail;  // detail: muted, at the right
  std::function<void()> act;
  bool yields = false;  // stands after all others that match: a term, which is one of many
};

struct Palette {
  bool open = false;
  bool just_opened = false;
  std::string typed;
  int chosen = 0;
};

/// Whether the letters of `typed` occur in the text in order (ASCII case ignored); lower is the better match, −1 no
/// match.
int match_score(std::string_view text, std::string_view typed);
/// Every lab, every rung of the current lab, every command, and every term of the glossary, in that order.
std::vector<PaletteEntry> palette_entries(PanelContext& context, Screen& screen);
/// The matching entries, best first.
std::vector<PaletteEntry> filtered(std::vector<PaletteEntry> entries, std::string_view typed);

void open_palette(Palette& palette);
void draw_palette(Palette& palette, PanelContext& context, Screen& screen);

}  // namespace tilescope
