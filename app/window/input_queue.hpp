// Pointer and keyboard events since the last frame, passed to the window's frames in order.
//
// ImGui reads the state of buttons and keys once a frame (its own queue was added in 1.87). A tap shorter than a frame
// would be lost, and a click after which the pointer moves before the frame begins would hit the wrong thing. So events
// wait here, and a frame takes only as many as it can tell apart.
//
//     queue.add({.kind = InputEvent::Kind::button, .code = 0, .down = true});
//     for (const InputEvent& event : queue.take()) …      // before each frame
#pragma once

#include <deque>
#include <set>
#include <vector>

namespace tilescope {

struct InputEvent {
  enum class Kind { move, button, wheel, key, text };
  Kind kind = Kind::move;
  float x = 0, y = 0;  // move: position in pixels of the window, −FLT_MAX if outside; wheel: steps
  int code = 0;        // button, or key as the window system numbers it; text: the Unicode character
  int scancode = 0, modifiers = 0;
  bool down = false;       // button, key
  bool modifier = false;   // key: Shift, Ctrl, Alt or Super
  bool printable = false;  // key: it also arrives as text
};

class InputQueue {
 public:
  void add(const InputEvent& event) { events_.push_back(event); }
  bool empty() const { return events_.empty(); }
  /// The events of the next frame, oldest first. Each button and each key changes at most once, the pointer does not
  /// move after a button has changed, text keeps its order relative to keys that act on it, and no modifier changes
  /// after the keys, text and wheel steps that preceded it.
  std::vector<InputEvent> take();

 private:
  /// What the frame being filled has received so far.
  struct Frame {
    bool wheeled = false, pressed_button = false, text = false, acting_key = false, any_key = false;
    std::set<int> keys;
    bool takes(const InputEvent& event) const;
    void note(const InputEvent& event);
  };
  std::deque<InputEvent> events_;
};

}  // namespace tilescope
