// The review questions at the end of a lesson: folded, one unfolded at a time.
//
//     1  Why does a stride of 16 floats cost no more …            ✓ in 3 days  ▸
//     2  How many sectors does the request touch?                        due  ▾
//        [      ] sectors  Check
//     3  …                                                               new  ▸
//                                                      Review 5 cards of all labs
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/views/lesson/card_face.hpp"

namespace tilescope {

class LessonCards {
 public:
  /// The fence of a figure that stands for them.
  static constexpr const char* kFence = "cards";
  static bool are_there(const PanelContext& context, const std::string& lab);

  /// In pixels, as last drawn; a guess before.
  float height(const PanelContext& context, const std::string& lab) const;
  /// Returns whether the height has changed.
  bool draw(PanelContext& context, LessonView& text, const std::string& lab, ImVec2 at, float width);
  /// 1 to 4 answer the unfolded card, Enter unfolds the next. Returns whether a key was used.
  bool keys(PanelContext& context, const std::string& lab);
  bool takes_digits() const;
  /// Call before a frame that may draw them.
  void begin_frame() { seen_ = false; }

 private:
  float draw_row(PanelContext& context, LessonView& text, const LabCard& card, size_t number, ImVec2 at, float width);
  float draw_end(PanelContext& context, ImVec2 at, float width);
  void unfold(PanelContext& context, const LabCard& card);

  CardFace face_;
  std::map<std::string, CardShowing> open_;  // by lab
  std::map<std::string, float> heights_;     // by lab
  std::string shown_lab_;
  bool seen_ = false;  // the unfolded card was on the screen in the last frame
};

}  // namespace tilescope
