#include "app/views/lesson/lesson_answers.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 4> kHeads{"Answers.", "Answer.", "答案。", "答案："};

bool is_answers(const LessonBlock& block) {
  return block.kind == LessonBlockKind::paragraph && block.spans.size() > 1 && block.spans.front().strong &&
         std::ranges::find(kHeads, block.spans.front().text) != kHeads.end();
}

/// The number of spans of a list item that form its question; 0: it is not a question.
size_t question_of(const LessonBlock& block) {
  if (block.kind != LessonBlockKind::paragraph || block.marker.empty() || block.marker == "•") return 0;
  size_t end = 0;
  while (end < block.spans.size() && block.spans[end].emphasis) ++end;
  if (end == 0 || end == block.spans.size()) return 0;
  const std::string& last = block.spans[end - 1].text;
  return last.ends_with('?') || last.ends_with("？") ? end : 0;
}

/// "(3)" or "（3）" at `at`: its number and length.
struct Number {
  int value = 0;
  size_t length = 0;
};
std::optional<Number> number_at(std::string_view text, size_t at) {
  for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>{"(", ")"}, {"（", "）"}}) {
    if (!text.substr(at).starts_with(open)) continue;
    size_t end = at + open.size();
    int value = 0;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9' && value < 100)
      value = 10 * value + text[end++] - '0';
    if (value > 0 && text.substr(end).starts_with(close)) return Number{value, end + close.size() - at};
  }
  return std::nullopt;
}

void trim_front(LessonSpans& spans) {
  while (!spans.empty()) {
    std::string& text = spans.front().text;
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    if (!text.empty()) return;
    spans.erase(spans.begin());
  }
}

/// The answers of a paragraph after its head; a single one if they are not numbered. Only the next expected number
/// begins a new answer: "(0)" and "(2)" may also be coordinates.
std::vector<LessonSpans> split_answers(const LessonSpans& spans) {
  std::vector<LessonSpans> answers(1);
  int next = 1;
  for (size_t index = 1; index < spans.size(); ++index) {
    const LessonSpan& span = spans[index];
    LessonSpan piece = span;
    piece.text.clear();
    for (size_t at = 0; at < span.text.size();) {
      const auto number = span.code ? std::nullopt : number_at(span.text, at);
      if (!number || number->value != next) {
        piece.text += span.text[at++];
        continue;
      }
      if (!piece.text.empty()) answers.back().push_back(piece);
      piece.text.clear();
      if (next++ > 1) answers.emplace_back();
      at += number->length;
    }
    if (!piece.text.empty()) answers.back().push_back(piece);
  }
  for (LessonSpans& answer : answers) trim_front(answer);
  return answers;
}

class Folder {
 public:
  Folder(const LessonDocument& document, const std::set<std::string>& open, const std::string& show_text)
      : document_(document), open_(open), show_text_(show_text) {
    folded_.links = document.links;
    folded_.title = document.title;
  }

  LessonDocument fold() {
    for (size_t index = 0; index < document_.blocks.size(); ++index) {
      const LessonBlock& block = document_.blocks[index];
      const size_t question = question_of(block);
      if (is_answers(block)) {
        fold_paragraph(block, index);
      } else if (question > 0) {
        LessonBlock kept = block;
        const LessonSpans answer(kept.spans.begin() + static_cast<ptrdiff_t>(question), kept.spans.end());
        kept.spans.resize(question);
        append(kept.spans, answer, std::to_string(index));
        folded_.blocks.push_back(std::move(kept));
      } else {
        folded_.blocks.push_back(block);
      }
    }
    return std::move(folded_);
  }

 private:
  void fold_paragraph(const LessonBlock& block, size_t index) {
    const std::vector<LessonSpans> answers = split_answers(block.spans);
    LessonBlock head = block;
    head.spans.resize(1);
    if (answers.size() == 1) append(head.spans, answers.front(), std::to_string(index));
    folded_.blocks.push_back(std::move(head));
    for (size_t number = 0; answers.size() > 1 && number < answers.size(); ++number) {
      LessonBlock one = block;
      one.indent = block.indent + 1;
      one.tight = true;
      one.marker = std::to_string(number + 1) + ".";
      one.spans.clear();
      append(one.spans, answers[number], std::to_string(index) + "." + std::to_string(number + 1));
      folded_.blocks.push_back(std::move(one));
    }
  }

  /// Appends the answer, or the link that shows it.
  void append(LessonSpans& spans, const LessonSpans& answer, const std::string& id) {
    if (open_.contains(id)) {
      spans.insert(spans.end(), answer.begin(), answer.end());
      return;
    }
    if (!spans.empty()) spans.push_back({"  "});
    folded_.links.push_back({LinkKind::answer, id, "answer:" + id});
    LessonSpan link{show_text_};
    link.link = static_cast<int>(folded_.links.size()) - 1;
    spans.push_back(std::move(link));
  }

  const LessonDocument& document_;
  const std::set<std::string>& open_;
  const std::string& show_text_;
  LessonDocument folded_;
};

}  // namespace

LessonDocument fold_answers(const LessonDocument& document, const std::set<std::string>& open,
                            const std::string& show_text) {
  return Folder(document, open, show_text).fold();
}

}  // namespace tilescope
