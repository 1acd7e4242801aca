#include "app/window/input_queue.hpp"

namespace tilescope {

bool InputQueue::Frame::takes(const InputEvent& event) const {
  switch (event.kind) {
    case InputEvent::Kind::move:
      return !pressed_button && !wheeled;
    case InputEvent::Kind::button:
      return !pressed_button && !wheeled && !any_key;
    case InputEvent::Kind::wheel:
      return !pressed_button;
    case InputEvent::Kind::key:
      if (pressed_button || keys.contains(event.code)) return false;
      // ImGui applies a modifier to the whole frame, including earlier events.
      if (event.modifier) return !any_key && !text && !wheeled;
      // Enter after "12" must not be processed before it.
      return event.printable || !event.down || !text;
    case InputEvent::Kind::text:
      return !pressed_button && !acting_key;
  }
  return false;
}

void InputQueue::Frame::note(const InputEvent& event) {
  switch (event.kind) {
    case InputEvent::Kind::move:
      break;
    case InputEvent::Kind::button:
      pressed_button = true;
      break;
    case InputEvent::Kind::wheel:
      wheeled = true;
      break;
    case InputEvent::Kind::key:
      keys.insert(event.code);
      if (event.modifier) break;
      any_key = true;
      acting_key = acting_key || (event.down && !event.printable);
      break;
    case InputEvent::Kind::text:
      text = true;
      break;
  }
}

std::vector<InputEvent> InputQueue::take() {
  Frame frame;
  std::vector<InputEvent> taken;
  while (!events_.empty() && frame.takes(events_.front())) {
    frame.note(events_.front());
    taken.push_back(events_.front());
    events_.pop_front();
  }
  return taken;
}

}  // namespace tilescope
