// The state of the lesson view, and its parts.
#pragma once

#include <imgui.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/observed/result_reference.hpp"
#include "app/views/context.hpp"
#include "app/views/lesson/figures/lesson_figures.hpp"
#include "app/views/lesson/lesson_cards.hpp"
#include "app/views/lesson/lesson_document.hpp"
#include "app/views/lesson/lesson_find.hpp"
#include "app/views/lesson/lesson_layout.hpp"
#include "app/views/view.hpp"

namespace tilescope {

class LessonView : public View {
 public:
  void draw(PanelContext& context) override;
  bool needs_no_run() const override { return true; }
  bool finds_text() const override { return true; }
  /// An exercise has its task instead.
  bool concerns(const Session& session) const override { return !shows_exercise(session); }
  bool takes_digits() const override { return is_lesson_ && cards_.takes_digits(); }
  bool keys(PanelContext& context) override { return is_lesson_ && cards_.keys(context, lab_); }

  /// Draws a short text, with links and terms; returns its height. `key` identifies it from frame to frame.
  float draw_piece(PanelContext& context, const std::string& key, const std::string& markdown, ImVec2 at, float width);

 protected:
  /// A text and what identifies it: where the reader was in it, and which answers are open.
  struct Page {
    std::string id = {};
    std::filesystem::path file = {};
    std::string before = {}, after = {};  // Markdown around the file's
    bool is_lesson = false;               // of a lab: reading it to its end counts
  };
  virtual Page page(const PanelContext& context) const;

 private:
  struct Piece {
    std::string markdown = {};
    float width = 0;
    const ImFont* font = nullptr;
    LessonDocument document = {};
    LessonLayout layout = {};
    int hovered = -1;  // the link under the pointer in the last frame
  };
  /// A position in the text that survives a change of width or language: a block, and the offset into it.
  struct Place {
    size_t block = 0;
    float offset = 0;
  };

  static std::string cards_of_lab(const PanelContext& context);
  static std::string exercises_of_lab(const PanelContext& context);
  static std::string arranged(const PanelContext& context, const Page& page, std::string text);
  void read(PanelContext& context);
  void update_layout(PanelContext& context, float width);
  bool prepare_figures(const PanelContext& context);
  void follow_anchor(PanelContext& context);
  void restore_place();
  LessonMetrics metrics(const PanelContext& context) const;
  // Finding text (lesson_search.cpp).
  void take_keys(PanelContext& context);
  void update_matches(PanelContext& context);
  void go_to_match(PanelContext& context, bool forward);
  void show_match(float visible);
  void draw_matches(PanelContext& context, ImVec2 origin);
  void draw_find_bar(PanelContext& context);
  // Drawing (lesson.cpp).
  void draw_block(PanelContext& context, const PlacedBlock& placed, ImVec2 origin);
  void draw_boxes(PanelContext& context, const PlacedBlock& placed, ImVec2 origin);
  void draw_figure(PanelContext& context, const std::string& fence, ImVec2 low, ImVec2 high);
  void draw_run(PanelContext& context, const LessonRun& run, ImVec2 origin, bool live);
  void draw_term(PanelContext& context, const LessonRun& run, float x, float baseline);
  void draw_emphasis_dots(PanelContext& context, const LessonRun& run, float x, float baseline);
  float draw_block_action(PanelContext& context, const char* key, float right, float top, bool* pressed);
  void draw_block_actions(PanelContext& context, const LessonBlock& block, ImVec2 low, ImVec2 high);
  void draw_outline(PanelContext& context, ImVec2 low, float width);
  // Links (lesson_links.cpp).
  void act(PanelContext& context, const LessonLink& link);
  std::string meaning_of(PanelContext& context, const LessonLink& link) const;

  inline static const std::string kOwnFiles = "own files";
  std::string lab_, file_;
  bool is_lesson_ = false;
  Language language_ = Language::en;
  LessonDocument document_, shown_;
  bool found_ = false, has_live_ = false;

  LessonFigures figures_;
  LessonCards cards_;

  LessonLayout layout_;
  float layout_width_ = 0;
  const ImFont* layout_font_ = nullptr;
  ResultReference layout_result_;  // a weak reference: a result of some GB must not be kept alive until the lesson is
                                   // shown again

  std::map<std::string, std::set<std::string>> open_answers_;  // by lab
  bool answers_changed_ = false;

  bool finding_ = false, find_wants_focus_ = false;
  std::string pattern_, matched_pattern_;
  std::vector<LessonMatch> matches_;
  size_t match_ = 0;
  bool matches_due_ = false;  // the layout has changed

  std::map<std::string, Place> places_;  // by lab
  std::optional<size_t> asked_;          // the block that was scrolled to, until the reader scrolls
  float last_scroll_ = 0;
  int settling_ = 0;  // frames until a requested scroll has happened
  int hovered_link_ = -1, next_hovered_link_ = -1;
  std::map<std::string, Piece> pieces_;  // by key
};

}  // namespace tilescope
