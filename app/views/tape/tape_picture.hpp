// Where the boxes and lines of a tape are drawn. No ImGui; all lengths are in unscaled pixels.
//
//     x   w   b                                 inputs, above their first reader
//     │   │   ┌──────────────────┐
//     ▼   ▼   │                  ▼
//     mul ──► add ──► gelu ──► add ──► norm ──► y       forward, left to right
//              │        ┊
//            h: 32 kB   tanh: 32 kB                     what is saved, a lane each
//              └──────┐ ┊
//                     ▼ ▼
//     mul′ ◄── add′ ◄── gelu′ ◄── add′ ◄── norm′ ◄── dy  backward, right to left
//     │   │    │                  │
//     dx  dw   db ◄───────────────┘                      gradients of the inputs, + where a part is added
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/autograd/tape.hpp"

namespace tilescope {

struct TapePoint {
  float x = 0, y = 0;
};

struct TapeBox {
  enum class Kind { input, forward, result, upstream, backward, gradient };
  Kind kind = Kind::forward;
  std::optional<size_t> node = {}, value = {};
  std::string title = {}, note = {};
  bool runs_again = false;        // a forward kernel that the backward pass runs again
  TapePoint low = {}, high = {};  // set by lay_out
  bool tall() const { return kind == Kind::forward || kind == Kind::backward; }
};

struct TapeLine {
  enum class Style { value, gradient, saved, held, recomputed };
  Style style = Style::value;
  size_t from = 0, to = 0;           // boxes
  bool adds = false;                 // a gradient that is added to an earlier part
  std::optional<size_t> saved = {};  // index into Tape::saved
  std::string label = {};
  std::vector<TapePoint> points = {};  // set by lay_out: horizontal and vertical, the last one ends in an arrowhead
  TapePoint label_low = {};
};

struct TapePicture {
  std::vector<TapeBox> boxes;
  std::vector<TapeLine> lines;
  float width = 0, height = 0;
  /// Index of the box of a node, value; nothing if there is none.
  std::optional<size_t> find(TapeBox::Kind kind, size_t of) const;
};

/// The boxes and lines of a tape with their places. `note` is the quiet second line of a node's box; `label` names what
/// is saved. `width` measures a text, `bold` for titles.
struct TapeWording {
  std::function<std::string(size_t node, bool backward)> note;
  std::function<std::string(const TapeSaved&)> label;
  std::function<float(const std::string& text, bool bold)> width;
  float room = 0;  // the width in which the picture should fit: columns move closer; 0: any
};
TapePicture draw_tape(const Tape& tape, const TapeWording& wording);

}  // namespace tilescope
