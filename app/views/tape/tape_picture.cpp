#include "app/views/tape/tape_picture.hpp"

#include <algorithm>
#include <map>

#include "app/views/tape/tape_model.hpp"

namespace tilescope {
namespace {

constexpr float kTall = 44, kChip = 24, kInside = 8, kPictureGap = 30, kLeastGap = 16, kLaneStep = 9, kSavedStep = 22,
                kLeastColumn = 56;
constexpr float kPictureBetween = 16;  // rows, where there is no lane

enum class Side { top, bottom };

/// A line that leaves and enters boxes at their tops or bottoms, by way of a lane.
struct Routed {
  size_t line = 0;
  size_t from = 0, to = 0;
  Side leaves = Side::bottom, enters = Side::top;
  float lane = 0;         // its y
  bool straight = false;  // the same x at both ends: no lane
};

class TapeArtist {
 public:
  TapeArtist(const Tape& tape, const TapeWording& wording) : tape_(tape), wording_(wording) {}

  TapePicture draw() {
    add_boxes();
    add_forward_lines();
    add_saved_lines();
    add_backward_lines();
    place_columns(kPictureGap);
    if (const float over = picture_.width - wording_.room; wording_.room > 0 && over > 0)
      place_columns(std::max(kLeastGap, kPictureGap - over / static_cast<float>(program().nodes.size())));
    place_rows();
    for (const size_t line : direct_) place_direct(line);
    route();
    return std::move(picture_);
  }

 private:
  const TapeProgram& program() const { return tape_.program; }
  TapeBox& box(TapeBox::Kind kind, size_t of) { return picture_.boxes[*picture_.find(kind, of)]; }
  size_t index(TapeBox::Kind kind, size_t of) const { return *picture_.find(kind, of); }

  // ---- Boxes

  void add_boxes() {
    for (size_t value = 0; value < program().values.size(); ++value) {
      if (program().values[value].node) continue;
      const std::string& name = program().values[value].name;
      picture_.boxes.push_back({.kind = TapeBox::Kind::input, .value = value, .title = name});
      picture_.boxes.push_back({.kind = TapeBox::Kind::gradient, .value = value, .title = "d" + name});
    }
    for (size_t node = 0; node < program().nodes.size(); ++node) {
      const TapeNode& one = program().nodes[node];
      const bool again = std::ranges::any_of(tape_.steps, [&](const TapeStep& step) {
        return step.kind == TapeStep::Kind::recompute && step.node == node;
      });
      picture_.boxes.push_back({.kind = TapeBox::Kind::forward,
                                .node = node,
                                .title = title_of(program(), one),
                                .note = wording_.note(node, false),
                                .runs_again = again});
      picture_.boxes.push_back({.kind = TapeBox::Kind::backward,
                                .node = node,
                                .title = std::string(name_of(one.op)) + "′",
                                .note = wording_.note(node, true)});
    }
    const size_t result = program().result();
    picture_.boxes.push_back({.kind = TapeBox::Kind::result, .value = result, .title = program().values[result].name});
    picture_.boxes.push_back(
        {.kind = TapeBox::Kind::upstream, .value = result, .title = "d" + program().values[result].name});
  }

  // ---- Lines

  size_t first_reader(size_t value) const {
    for (size_t node = 0; node < program().nodes.size(); ++node)
      if (std::ranges::count(program().nodes[node].inputs, value) > 0) return node;
    return 0;
  }

  size_t add_line(TapeLine line) {
    picture_.lines.push_back(std::move(line));
    return picture_.lines.size() - 1;
  }
  void add_direct(TapeLine line) { direct_.push_back(add_line(std::move(line))); }

  /// Lanes of one region are numbered from its top; place_rows() turns the numbers into positions.
  void add_routed(std::vector<Routed>& region, TapeLine line, Side leaves, Side enters, bool straight) {
    Routed one{.from = line.from, .to = line.to, .leaves = leaves, .enters = enters, .straight = straight};
    one.line = add_line(std::move(line));
    region.push_back(one);
  }

  void add_forward_lines() {
    for (size_t node = 0; node < program().nodes.size(); ++node)
      for (const size_t input : program().nodes[node].inputs) {
        const auto writer = program().values[input].node;
        TapeLine line{.style = TapeLine::Style::value, .to = index(TapeBox::Kind::forward, node)};
        line.from = writer ? index(TapeBox::Kind::forward, *writer) : index(TapeBox::Kind::input, input);
        if (writer && *writer + 1 == node)
          add_direct(std::move(line));
        else
          add_routed(ahead_, std::move(line), writer ? Side::top : Side::bottom, Side::top,
                     !writer && first_reader(input) == node);
      }
    add_direct({.style = TapeLine::Style::value,
                .from = index(TapeBox::Kind::forward, program().nodes.size() - 1),
                .to = index(TapeBox::Kind::result, program().result())});
  }

  void add_saved_lines() {
    for (size_t i = 0; i < tape_.saved.size(); ++i) {
      const TapeSaved& one = tape_.saved[i];
      const auto writer = one.value ? program().values[*one.value].node : std::optional(one.node);
      if (!writer || one.for_recompute) continue;  // an input is there anyway
      TapeLine line{.style = one.recomputed ? TapeLine::Style::recomputed
                             : one.held     ? TapeLine::Style::held
                                            : TapeLine::Style::saved,
                    .from = index(TapeBox::Kind::forward, *writer),
                    .to = index(TapeBox::Kind::backward, one.node),
                    .saved = i,
                    .label = wording_.label(one)};
      add_routed(middle_, std::move(line), Side::bottom, Side::top, false);
    }
  }

  void add_backward_lines() {
    const size_t last = program().nodes.size() - 1;
    add_direct({.style = TapeLine::Style::gradient,
                .from = index(TapeBox::Kind::upstream, program().result()),
                .to = index(TapeBox::Kind::backward, last)});
    for (const TapeStep& step : tape_.steps) {
      if (step.kind != TapeStep::Kind::backward) continue;
      for (const TapeGradient& one : step.gradients) {
        const auto writer = program().values[one.value].node;
        TapeLine line{.style = TapeLine::Style::gradient, .from = index(TapeBox::Kind::backward, step.node)};
        line.adds = one.add;
        line.to = writer ? index(TapeBox::Kind::backward, *writer) : index(TapeBox::Kind::gradient, one.value);
        if (writer && *writer + 1 == step.node)
          add_direct(std::move(line));
        else
          add_routed(back_, std::move(line), Side::bottom, writer ? Side::bottom : Side::top,
                     !writer && first_reader(one.value) == step.node);
      }
    }
  }

  // ---- Places

  float wanted(const TapeBox& one) const {
    const float title = wording_.width(one.title, one.tall()) + 2 * kInside;
    return one.tall() ? std::max({title, wording_.width(one.note, false) + 2 * kInside, kLeastColumn}) : title;
  }

  /// Chips of the inputs that a node is the first to read stand side by side above it, those of their gradients below.
  float chips_width(size_t node, TapeBox::Kind kind) const {
    float width = 0;
    for (const TapeBox& one : picture_.boxes)
      if (one.kind == kind && first_reader(*one.value) == node) width += wanted(one) + 6;
    return width;
  }

  void place_columns(float gap) {
    picture_.width = 0;
    float x = 2;
    for (size_t node = 0; node < program().nodes.size(); ++node) {
      TapeBox &forward = box(TapeBox::Kind::forward, node), &backward = box(TapeBox::Kind::backward, node);
      const float boxes = std::max(wanted(forward), wanted(backward));
      const float width = std::max({boxes, chips_width(node, TapeBox::Kind::input),
                                    chips_width(node, TapeBox::Kind::gradient), 22.0F * ports_of(node)});
      for (TapeBox* const one : {&forward, &backward}) one->low.x = x, one->high.x = x + width;
      for (const TapeBox::Kind kind : {TapeBox::Kind::input, TapeBox::Kind::gradient})
        place_chips(node, kind, x, width);
      x += width + gap;
    }
    for (const TapeBox::Kind kind : {TapeBox::Kind::result, TapeBox::Kind::upstream}) {
      TapeBox& one = box(kind, program().result());
      one.low.x = x;
      one.high.x = x + wanted(one);
      picture_.width = std::max(picture_.width, one.high.x + 2);
    }
  }

  /// Lines at the busiest side of a node's boxes.
  float ports_of(size_t node) const {
    std::map<std::pair<size_t, Side>, size_t> ports;
    size_t most = 0;
    for (const auto* const region : {&ahead_, &middle_, &back_})
      for (const Routed& one : *region) {
        most = std::max(most, picture_.boxes[one.from].node == node ? ++ports[{one.from, one.leaves}] : 0);
        most = std::max(most, picture_.boxes[one.to].node == node ? ++ports[{one.to, one.enters}] : 0);
      }
    return static_cast<float>(most);
  }

  void place_chips(size_t node, TapeBox::Kind kind, float x, float width) {
    float at = x + (width - chips_width(node, kind) + 6) / 2;
    for (TapeBox& one : picture_.boxes) {
      if (one.kind != kind || first_reader(*one.value) != node) continue;
      one.low.x = at;
      one.high.x = at + wanted(one);
      at = one.high.x + 6;
    }
  }

  static size_t lanes_in(const std::vector<Routed>& region) {
    return static_cast<size_t>(std::ranges::count(region, false, &Routed::straight));
  }
  /// Sets the lanes of a region that begins at y. Returns where it ends.
  static float place_lanes(std::vector<Routed>& region, float y, float step) {
    const size_t lanes = lanes_in(region);
    size_t lane = 0;
    for (Routed& one : region)
      if (!one.straight) one.lane = y + kPictureBetween / 2 + step * (static_cast<float>(lane++) + 0.5F);
    return y + kPictureBetween + step * static_cast<float>(lanes);
  }

  void place_row(TapeBox::Kind kind, float y, float height) {
    for (TapeBox& one : picture_.boxes)
      if (one.kind == kind) one.low.y = y, one.high.y = y + height;
  }

  void place_rows() {
    float y = 2;
    place_row(TapeBox::Kind::input, y, kChip);
    y = place_lanes(ahead_, y + kChip, kLaneStep);
    place_row(TapeBox::Kind::forward, y, kTall);
    place_row(TapeBox::Kind::result, y + (kTall - kChip) / 2, kChip);
    y = place_lanes(middle_, y + kTall, kSavedStep);
    place_row(TapeBox::Kind::backward, y, kTall);
    place_row(TapeBox::Kind::upstream, y + (kTall - kChip) / 2, kChip);
    y = place_lanes(back_, y + kTall, kLaneStep);
    place_row(TapeBox::Kind::gradient, y, kChip);
    picture_.height = y + kChip + 2;
  }

  /// From the side of one box to that of its neighbour. Two lines between the same boxes stand apart.
  void place_direct(size_t number) {
    TapeLine& line = picture_.lines[number];
    const TapeBox &from = picture_.boxes[line.from], &to = picture_.boxes[line.to];
    size_t before = 0, all = 0;
    for (const size_t other : direct_)
      if (picture_.lines[other].from == line.from && picture_.lines[other].to == line.to) {
        ++all;
        before += other < number ? 1 : 0;
      }
    const float offset = (static_cast<float>(before) - static_cast<float>(all - 1) / 2) * 14;
    const float y = (from.low.y + from.high.y) / 2 + offset;
    const bool right = from.low.x < to.low.x;
    line.points = {{right ? from.high.x : from.low.x, y}, {right ? to.low.x : to.high.x, y}};
  }

  /// Lines at one side of a box are spread over its width.
  void route() {
    std::map<std::pair<size_t, Side>, size_t> all, used;
    for (const auto* const region : {&ahead_, &middle_, &back_})
      for (const Routed& one : *region) {
        ++all[{one.from, one.leaves}];
        ++all[{one.to, one.enters}];
      }
    const auto port = [&](size_t number, Side side) -> TapePoint {
      const TapeBox& one = picture_.boxes[number];
      const float share = static_cast<float>(++used[{number, side}]) / static_cast<float>(all[{number, side}] + 1);
      return {one.low.x + share * (one.high.x - one.low.x), side == Side::top ? one.low.y : one.high.y};
    };
    for (const auto* const region : {&ahead_, &middle_, &back_}) {
      for (const Routed& one : *region) {
        TapeLine& line = picture_.lines[one.line];
        TapePoint from = port(one.from, one.leaves);
        const TapePoint to = port(one.to, one.enters);
        if (one.straight) {  // between a chip and the box above or below it
          TapePoint end = to;
          const bool chip_from = !picture_.boxes[one.from].tall();
          (chip_from ? end.x : from.x) = chip_from ? from.x : to.x;
          line.points = {from, end};
          continue;
        }
        line.points = {from, {from.x, one.lane}, {to.x, one.lane}, to};
        place_label(line, one.lane);
      }
    }
  }

  void place_label(TapeLine& line, float lane) {
    if (line.label.empty()) return;
    const float width = wording_.width(line.label, false);
    const float left = std::min(line.points[1].x, line.points[2].x) + 8;
    line.label_low = {std::clamp(left, 2.0F, std::max(2.0F, picture_.width - width - 2)), lane - 8};
  }

  const Tape& tape_;
  const TapeWording& wording_;
  TapePicture picture_;
  std::vector<size_t> direct_;
  std::vector<Routed> ahead_, middle_, back_;
};

}  // namespace

std::optional<size_t> TapePicture::find(TapeBox::Kind kind, size_t of) const {
  for (size_t i = 0; i < boxes.size(); ++i)
    if (boxes[i].kind == kind && (boxes[i].tall() ? boxes[i].node == of : boxes[i].value == of)) return i;
  return std::nullopt;
}

TapePicture draw_tape(const Tape& tape, const TapeWording& wording) { return TapeArtist(tape, wording).draw(); }

}  // namespace tilescope
