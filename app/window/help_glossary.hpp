// The help page with all terms of the glossary, a field that searches them, and links to the labs that teach them.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "app/draw/glossary.hpp"
#include "app/views/context.hpp"

namespace tilescope {

/// The terms that the typed text finds, as indices: alphabetically in English, by stage in Chinese. Names and spellings
/// are searched in both languages, and what a term means only if no name fits.
std::vector<size_t> glossary_order(const Glossary& glossary, Language language, std::string_view typed);

class GlossaryPage {
 public:
  /// The next frame shows this term; if empty, the start of the page, ready for typing.
  void open(std::string term);
  /// Fills the rectangle at the cursor. Returns whether a lab was opened, so that the help can close.
  bool draw(PanelContext& context, ImVec2 size);

 private:
  /// A term, or the title of a group of them.
  struct Entry {
    size_t term = 0;
    std::string title;  // not empty: a title
    float y = 0, height = 0;
  };
  void lay_out(PanelContext& context, float width);
  bool draw_list(PanelContext& context, float width, float height);
  float draw_term(PanelContext& context, const Term& term, ImVec2 at, float width, bool measure, bool* opened) const;

  std::string typed_, selected_;
  bool wants_focus_ = false, scroll_due_ = false;
  std::vector<Entry> entries_;
  float height_ = 0;
  // What entries_ were laid out for.
  std::string laid_typed_;
  Language laid_language_ = Language::en;
  float laid_width_ = 0;
  const ImFont* laid_font_ = nullptr;
};

}  // namespace tilescope
