// Line breaking of mixed Latin and Chinese text.
#include <algorithm>

#include "app/views/lesson/lesson_layout.hpp"

namespace tilescope {
namespace {

/// Never at the start of a line (GB/T 15834 and the Latin equivalents).
constexpr std::string_view kNoStart = "，。；：？！、）」』】》〉”’…—·％,.;:?!)]}%";
/// Never at the end of a line.
constexpr std::string_view kNoEnd = "（「『【《〈“‘([{";

size_t bytes_of(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

bool is_chinese(std::string_view character) {
  // U+2E80 and above start with E2 BA or more.
  return character.size() >= 3 && character >= "\xE2\xBA\x80";
}

std::string_view first_character(std::string_view text) {
  return text.empty() ? text : text.substr(0, bytes_of(text.front()));
}
std::string_view last_character(std::string_view text) {
  if (text.empty()) return text;
  size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return text.substr(at);
}
bool among(std::string_view characters, std::string_view one) {
  return !one.empty() && characters.find(one) != std::string_view::npos;
}

/// A part that is never broken, unless it is wider than a line.
struct Atom {
  std::string text;
  size_t span = 0;
  bool space_before = false, forced_break = false;
};

/// Long code may break after a space, a comma or an opening bracket.
constexpr size_t kUnbrokenCode = 28;

std::vector<Atom> atoms_of(const LessonSpans& spans) {
  std::vector<Atom> atoms;
  bool space = false;
  for (size_t index = 0; index < spans.size(); ++index) {
    const LessonSpan& span = spans[index];
    if (span.text == "\n" && !span.code) {
      atoms.push_back({"", index, false, true});
      space = false;
      continue;
    }
    if (span.code && span.text.size() <= kUnbrokenCode) {
      atoms.push_back({span.text, index, space, false});
      space = false;
      continue;
    }
    bool joins = false;  // the next Latin character continues the last atom
    for (size_t at = 0; at < span.text.size();) {
      const std::string_view character = std::string_view(span.text).substr(at, bytes_of(span.text[at]));
      at += character.size();
      if (character == " ") {
        space = true;
        joins = false;
        continue;
      }
      if (joins && !is_chinese(character)) {
        atoms.back().text += character;
        continue;
      }
      atoms.push_back({std::string(character), index, space, false});
      space = false;
      joins = !is_chinese(character);
    }
  }
  return atoms;
}

bool may_break(const Atom& before, const Atom& after) {
  const std::string_view last = last_character(before.text), first = first_character(after.text);
  if (among(kNoStart, first) && (!after.space_before || is_chinese(first))) return false;
  if (among(kNoEnd, last) && !after.space_before) return false;
  return after.space_before || is_chinese(last) || is_chinese(first);
}

class Wrapper {
 public:
  Wrapper(const LessonSpans& spans, LessonFont font, float width, const LessonMetrics& metrics)
      : spans_(spans), font_(font), width_(width), metrics_(metrics), space_(metrics.width(font, " ")) {}

  std::vector<LessonLine> wrap() {
    const std::vector<Atom> atoms = atoms_of(spans_);
    for (size_t begin = 0; begin < atoms.size();) {
      if (atoms[begin].forced_break) {
        lines_.emplace_back();
        ++begin;
        continue;
      }
      const std::vector<Atom> unit = unit_from(atoms, begin);
      place_unit(unit);
      begin += unit.size();
    }
    return std::move(lines_);
  }

  float widest() const {
    float widest = 0;
    const std::vector<Atom> atoms = atoms_of(spans_);
    for (size_t begin = 0; begin < atoms.size();) {
      const std::vector<Atom> unit = unit_from(atoms, begin);
      widest = std::max(widest, width_of(unit));
      begin += unit.size();
    }
    return widest;
  }

 private:
  /// From there up to the next position where a line may end.
  static std::vector<Atom> unit_from(const std::vector<Atom>& atoms, size_t begin) {
    size_t end = begin + 1;
    while (end < atoms.size() && !atoms[end].forced_break && !may_break(atoms[end - 1], atoms[end])) ++end;
    return {atoms.begin() + static_cast<std::ptrdiff_t>(begin), atoms.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  LessonFont font_of(const LessonSpan& span) const {
    if (span.code) return LessonFont::code;
    return (span.strong || span.emphasis) && font_ == LessonFont::body ? LessonFont::strong : font_;
  }

  /// Inline code has some padding on both sides.
  float padding(const LessonSpan& span) const { return span.code ? 4 * metrics_.unit : 0; }

  float width_of(const Atom& atom) const {
    const LessonSpan& span = spans_[atom.span];
    return metrics_.width(font_of(span), atom.text) + 2 * padding(span);
  }
  float width_of(const std::vector<Atom>& unit) const {
    float width = 0;
    for (const Atom& atom : unit) width += width_of(atom) + (&atom != &unit.front() && atom.space_before ? space_ : 0);
    return width;
  }

  /// A space inside a part of code is as wide as its characters.
  float gap_before(const Atom& atom) const {
    return atom.span == last_span_ ? metrics_.width(font_of(spans_[atom.span]), " ") : space_;
  }

  void place_unit(const std::vector<Atom>& unit) {
    const float width = width_of(unit);
    const float gap = unit.front().space_before && !lines_.back().runs.empty() ? gap_before(unit.front()) : 0;
    if (!lines_.back().runs.empty() && lines_.back().width + gap + width > width_) lines_.emplace_back();
    for (const Atom& atom : unit) {
      if (width > width_)
        place_in_pieces(atom);
      else
        place(atom);
    }
  }

  void place(const Atom& atom) {
    LessonLine& line = lines_.back();
    const LessonSpan& span = spans_[atom.span];
    const LessonFont font = font_of(span);
    const bool gap = atom.space_before && !line.runs.empty();
    LessonRun* last = line.runs.empty() ? nullptr : &line.runs.back();
    const bool same = last != nullptr && last->font == font && last->link == span.link &&
                      last->inline_code == span.code && last_span_ == atom.span;
    if (same) {
      last->text += (gap ? " " : "") + atom.text;
      last->width += (gap ? gap_before(atom) : 0) + metrics_.width(font, atom.text);
      line.width = last->x + last->width + padding(span);
      return;
    }
    line.width += gap ? space_ : 0;
    LessonRun run{atom.text, font,     line.width + padding(span), 0, metrics_.width(font, atom.text),
                  span.link, span.code};
    run.term = span.term;
    run.emphasis_dots = span.strong && font_ == LessonFont::body;
    line.width += run.width + 2 * padding(span);
    line.runs.push_back(std::move(run));
    last_span_ = atom.span;
  }

  /// A word wider than a line, cut at the edge.
  void place_in_pieces(const Atom& atom) {
    Atom piece{"", atom.span, atom.space_before, false};
    for (size_t at = 0; at < atom.text.size();) {
      const std::string character = atom.text.substr(at, bytes_of(atom.text[at]));
      Atom longer = piece;
      longer.text += character;
      const LessonLine& line = lines_.back();
      const float gap = piece.space_before && !line.runs.empty() ? space_ : 0;
      const bool something = !piece.text.empty() || !line.runs.empty();
      if (something && line.width + gap + width_of(longer) > width_) {
        if (!piece.text.empty()) place(piece);
        lines_.emplace_back();
        piece.text.clear();
        piece.space_before = false;
      }
      piece.text += character;
      at += character.size();
    }
    if (!piece.text.empty()) place(piece);
  }

  const LessonSpans& spans_;
  LessonFont font_;
  float width_;
  const LessonMetrics& metrics_;
  float space_;
  size_t last_span_ = static_cast<size_t>(-1);
  std::vector<LessonLine> lines_{LessonLine{}};
};

}  // namespace

float widest_piece(const LessonSpans& spans, LessonFont font, const LessonMetrics& metrics) {
  return Wrapper(spans, font, 0, metrics).widest();
}

std::vector<LessonLine> wrap_spans(const LessonSpans& spans, LessonFont font, float width,
                                   const LessonMetrics& metrics) {
  return Wrapper(spans, font, width, metrics).wrap();
}

}  // namespace tilescope
