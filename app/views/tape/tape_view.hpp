// Shared by the parts of the tape view.
//
//     programs, what is kept │ sentence
//     text, editable         │ forward pass, what is saved, backward pass     tape_drawing.cpp
//     error of a line        │ the chosen step
//                            │ a row for each gradient                        tape_gradients.cpp
#pragma once

#include <optional>
#include <string>

#include "app/draw/editor/code_view.hpp"
#include "app/views/context.hpp"
#include "app/views/tape/tape_model.hpp"
#include "app/views/tape/tape_picture.hpp"
#include "app/views/view.hpp"

namespace tilescope {

class TapeView final : public View {
 public:
  TapeView();
  void draw(PanelContext& context) override;
  bool concerns(const Session& session) const override { return session.lab().name == "autograd"; }
  bool needs_no_run() const override { return true; }
  Lower lower(const PanelContext& context, bool stacked) const override;

  // For tests.
  void set_text(std::string_view text) { text_.buffer.reset(text); }
  const TapeShown& shown() const { return shown_; }
  const TapePicture& picture() const { return picture_; }

 private:
  void update(const PanelContext& context);
  void follow_rung(const PanelContext& context);
  void draw_text_column(PanelContext& context, ImVec2 low, ImVec2 high);
  float draw_buttons(PanelContext& context, ImVec2 low, float right);
  void replace_text(const std::string& text);
  void draw_page(PanelContext& context, ImVec2 low, ImVec2 high);
  float draw_picture(PanelContext& context, ImVec2 low, float width);
  void draw_box(PanelContext& context, ImDrawList* list, size_t index, ImVec2 origin, ImVec2 clip_low,
                ImVec2 clip_high);
  float draw_chosen(PanelContext& context, ImVec2 low, float width);
  bool computes_shown(const PanelContext& context) const;
  float draw_gradients(PanelContext& context, ImVec2 low, float width);
  void choose(PanelContext& context, size_t box);
  std::string chosen_text(const PanelContext& context) const;
  TapeWording wording(const PanelContext& context) const;
  /// The position of a step among those of its pass, from 1.
  std::string step_note(const PanelContext& context, size_t node, bool backward) const;
  std::string saved_label(const PanelContext& context, const TapeSaved& saved) const;

  CodeView text_{Syntax::python};
  std::optional<uint64_t> taken_;  // the revision that was read
  TapeShown shown_;
  TapePicture picture_;
  std::optional<size_t> chosen_, hovered_;        // boxes
  int64_t rows_ = 0, columns_ = 0, element_ = 4;  // bytes of an element of a matrix
  float room_ = 0;                                // the picture's, unscaled, in the last frame
  float page_height_ = 0;                         // the right side's, in the last frame
  std::string followed_;                          // the rung and the setting whose program was taken over
  struct Key {
    size_t version = 0;
    std::string language;
    int64_t rows = 0, columns = 0, element = 0;
    float scale = 0, room = 0;
    bool operator==(const Key&) const = default;
  };
  Key key_;
};

}  // namespace tilescope
