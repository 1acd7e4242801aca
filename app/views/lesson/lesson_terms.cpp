#include "app/views/lesson/lesson_terms.hpp"

#include <set>
#include <utility>

namespace tilescope {
namespace {

/// Whether the byte lies in a "{{value}}".
bool in_value(std::string_view text, size_t at) {
  const size_t open = text.substr(0, at).rfind("{{");
  return open != std::string_view::npos && text.find("}}", open) > at;
}

class TermMarker {
 public:
  TermMarker(const Glossary& glossary, Language language) : glossary_(glossary), language_(language) {}

  void begin_section() { seen_.clear(); }

  void mark(LessonSpans& spans) {
    LessonSpans marked;
    marked.reserve(spans.size());
    for (LessonSpan& span : spans) {
      if (span.code || span.link >= 0 || span.text == "\n")
        marked.push_back(std::move(span));
      else
        split(span, marked);
    }
    spans = std::move(marked);
  }

 private:
  void split(const LessonSpan& span, LessonSpans& into) {
    size_t done = 0;
    const auto add = [&](size_t end, int term) {
      if (end == done) return;
      LessonSpan part = span;
      part.text = span.text.substr(done, end - done);
      part.term = term;
      into.push_back(std::move(part));
      done = end;
    };
    for (const TermPlace& place : glossary_.occurrences(language_, span.text)) {
      if (in_value(span.text, place.begin) || !seen_.insert(place.term).second) continue;
      add(place.begin, -1);
      add(place.end, static_cast<int>(place.term));
    }
    add(span.text.size(), -1);
  }

  const Glossary& glossary_;
  Language language_;
  std::set<size_t> seen_;
};

}  // namespace

void mark_terms(LessonDocument& document, const Glossary& glossary, Language language) {
  TermMarker marker(glossary, language);
  for (LessonBlock& block : document.blocks) {
    switch (block.kind) {
      case LessonBlockKind::heading:
        if (block.level <= 2) marker.begin_section();
        break;
      case LessonBlockKind::paragraph:
        marker.mark(block.spans);
        break;
      case LessonBlockKind::table:
        for (size_t row = 1; row < block.rows.size(); ++row)
          for (LessonSpans& cell : block.rows[row]) marker.mark(cell);
        break;
      default:
        break;
    }
  }
}

}  // namespace tilescope
