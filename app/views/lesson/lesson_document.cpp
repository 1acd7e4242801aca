#include "app/views/lesson/lesson_document.hpp"

#include <md4c.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace tilescope {
namespace {

constexpr std::array<std::pair<std::string_view, LinkKind>, 9> kPrefixes{{{"lab:", LinkKind::lab},
                                                                          {"rung:", LinkKind::rung},
                                                                          {"tab:", LinkKind::tab},
                                                                          {"set:", LinkKind::set},
                                                                          {"break:", LinkKind::break_it},
                                                                          {"exercise:", LinkKind::exercise},
                                                                          {"steps:", LinkKind::steps},
                                                                          {"source:", LinkKind::source},
                                                                          {"#", LinkKind::heading}}};

std::string text_of(const MD_ATTRIBUTE& attribute) { return std::string(attribute.text, attribute.size); }

/// Decodes "&lt;" and the few other entities that a lesson may use.
std::string entity_text(std::string_view entity) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNamed{{{"&amp;", "&"},
                                                                                        {"&lt;", "<"},
                                                                                        {"&gt;", ">"},
                                                                                        {"&quot;", "\""},
                                                                                        {"&nbsp;", "\xC2\xA0"},
                                                                                        {"&times;", "×"},
                                                                                        {"&#39;", "'"}}};
  for (const auto& [name, text] : kNamed)
    if (name == entity) return std::string(text);
  return std::string(entity);
}

/// Collects md4c's events.
class LessonReader {
 public:
  LessonDocument read(std::string_view markdown) {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML | MD_FLAG_PERMISSIVEURLAUTOLINKS;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return reader(self).enter_block(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return reader(self).leave_block(type, detail);
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return reader(self).enter_span(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) { return reader(self).leave_span(type); };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return reader(self).add_text(type, {text, size});
    };
    md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, this);
    return std::move(document_);
  }

 private:
  struct List {
    bool ordered = false, tight = false;
    unsigned next = 1;
  };

  static LessonReader& reader(void* self) { return *static_cast<LessonReader*>(self); }
  LessonBlock& block() { return document_.blocks.back(); }

  void open(LessonBlockKind kind) {
    LessonBlock next;
    next.kind = kind;
    next.indent = static_cast<int>(lists_.size());
    next.quote = quotes_;
    next.tight = !lists_.empty() && lists_.back().tight;
    next.marker = std::exchange(marker_, {});
    document_.blocks.push_back(std::move(next));
    spans_ = &block().spans;
  }

  /// The target of inline text. md4c has no paragraph for a tight list item, so one is opened for its text.
  LessonSpans& spans() {
    if (spans_ == nullptr) open(LessonBlockKind::paragraph);
    return *spans_;
  }

  int enter_block(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        spans_ = nullptr;
        ++quotes_;
        break;
      case MD_BLOCK_UL:
        spans_ = nullptr;
        lists_.push_back({false, static_cast<MD_BLOCK_UL_DETAIL*>(detail)->is_tight != 0, 1});
        break;
      case MD_BLOCK_OL: {
        const auto* list = static_cast<MD_BLOCK_OL_DETAIL*>(detail);
        spans_ = nullptr;
        lists_.push_back({true, list->is_tight != 0, list->start});
        break;
      }
      case MD_BLOCK_LI:
        spans_ = nullptr;
        marker_ = lists_.back().ordered ? std::to_string(lists_.back().next++) + "." : "•";
        break;
      case MD_BLOCK_HR:
        open(LessonBlockKind::rule);
        spans_ = nullptr;
        break;
      case MD_BLOCK_H:
        open(LessonBlockKind::heading);
        block().level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
        break;
      case MD_BLOCK_P:
        open(LessonBlockKind::paragraph);
        break;
      case MD_BLOCK_CODE: {
        const auto* code = static_cast<MD_BLOCK_CODE_DETAIL*>(detail);
        open(LessonBlockKind::code);
        block().language = text_of(code->lang);
        const std::string info = text_of(code->info);
        const size_t rest = info.find(' ');
        if (rest != std::string::npos) block().info = info.substr(rest + 1);
        break;
      }
      case MD_BLOCK_TABLE:
        open(LessonBlockKind::table);
        spans_ = nullptr;
        break;
      case MD_BLOCK_TR:
        block().rows.emplace_back();
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        enter_cell(type, *static_cast<MD_BLOCK_TD_DETAIL*>(detail));
        break;
      default:
        break;
    }
    return 0;
  }

  void enter_cell(MD_BLOCKTYPE type, const MD_BLOCK_TD_DETAIL& cell) {
    if (type == MD_BLOCK_TH)
      block().align.push_back(cell.align == MD_ALIGN_RIGHT    ? LessonAlign::right
                              : cell.align == MD_ALIGN_CENTER ? LessonAlign::centre
                                                              : LessonAlign::left);
    spans_ = &block().rows.back().emplace_back();
  }

  int leave_block(MD_BLOCKTYPE type, void*) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        --quotes_;
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        lists_.pop_back();
        break;
      case MD_BLOCK_H:
        block().anchor = anchor_of(plain_text(block().spans));
        if (document_.title.empty()) document_.title = plain_text(block().spans);
        break;
      case MD_BLOCK_CODE:
        while (block().text.ends_with('\n')) block().text.pop_back();
        if (block().language == "figure") close_figure();
        break;
      default:
        break;
    }
    spans_ = nullptr;
    return 0;
  }

  /// Parameters may continue on the lines of the fence.
  void close_figure() {
    block().kind = LessonBlockKind::figure;
    if (!block().text.empty()) block().info += " " + std::exchange(block().text, {});
    std::ranges::replace(block().info, '\n', ' ');
  }

  int enter_span(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_STRONG) ++strong_;
    if (type == MD_SPAN_EM) ++emphasis_;
    if (type == MD_SPAN_CODE) ++code_;
    if (type == MD_SPAN_A) {
      document_.links.push_back(link_from(text_of(static_cast<MD_SPAN_A_DETAIL*>(detail)->href)));
      link_ = static_cast<int>(document_.links.size()) - 1;
    }
    return 0;
  }

  int leave_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_STRONG) --strong_;
    if (type == MD_SPAN_EM) --emphasis_;
    if (type == MD_SPAN_CODE) --code_;
    if (type == MD_SPAN_A) link_ = -1;
    return 0;
  }

  int add_text(MD_TEXTTYPE type, std::string_view text) {
    if (!document_.blocks.empty() && block().kind == LessonBlockKind::code && spans_ == &block().spans) {
      block().text += text;
      return 0;
    }
    std::string piece(text);
    if (type == MD_TEXT_SOFTBR) piece = soft_break();
    if (type == MD_TEXT_BR) piece = "\n";
    if (type == MD_TEXT_ENTITY) piece = entity_text(text);
    if (type == MD_TEXT_NULLCHAR) piece = "\xEF\xBF\xBD";
    if (piece.empty()) return 0;
    LessonSpan span{std::move(piece), strong_ > 0, emphasis_ > 0, code_ > 0, link_};
    LessonSpans& into = spans();
    const bool same_style = !into.empty() && into.back().strong == span.strong &&
                            into.back().emphasis == span.emphasis && into.back().code == span.code &&
                            into.back().link == span.link;
    if (same_style && type != MD_TEXT_BR && into.back().text != "\n")
      into.back().text += span.text;
    else
      into.push_back(std::move(span));
    return 0;
  }

  /// A line end in the source is a space between words, and nothing after a Chinese character.
  std::string soft_break() {
    const LessonSpans& into = spans();
    if (into.empty() || into.back().text.empty()) return " ";
    const std::string& text = into.back().text;
    size_t last = text.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    return static_cast<unsigned char>(text[last]) >= 0xE3 ? "" : " ";
  }

  LessonDocument document_;
  LessonSpans* spans_ = nullptr;
  std::vector<List> lists_;
  int quotes_ = 0, strong_ = 0, emphasis_ = 0, code_ = 0, link_ = -1;
  std::string marker_;
};

}  // namespace

LessonLink link_from(std::string_view address) {
  for (const auto& [prefix, kind] : kPrefixes)
    if (address.starts_with(prefix)) return {kind, std::string(address.substr(prefix.size())), std::string(address)};
  constexpr std::string_view kSheetEnd = ".md";
  if (address.ends_with(kSheetEnd) && address.find('/') == std::string_view::npos)
    return {LinkKind::sheet, std::string(address.substr(0, address.size() - kSheetEnd.size())), std::string(address)};
  return {LinkKind::external, std::string(address), std::string(address)};
}

std::optional<SourcePage> source_page_named(std::string_view name) {
  static constexpr std::pair<std::string_view, SourcePage> kPages[] = {
      {"ttir", SourcePage::ttir}, {"ttgir", SourcePage::ttgir}, {"ptx", SourcePage::ptx}, {"host", SourcePage::host}};
  for (const auto& [known, page] : kPages)
    if (name == known) return page;
  return std::nullopt;
}

std::optional<std::pair<std::string, int64_t>> assignment_from(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, failed] = std::from_chars(text.data() + equals + 1, end, value);
  if (failed != std::errc() || last != end) return std::nullopt;
  return std::pair(std::string(text.substr(0, equals)), value);
}

std::string plain_text(const LessonSpans& spans) {
  std::string text;
  for (const LessonSpan& span : spans) text += span.text;
  return text;
}

std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (size_t at = 0; at < heading.size(); ++at) {
    const auto byte = static_cast<unsigned char>(heading[at]);
    // Full-width punctuation: U+3000 … U+303F is E3 80 xx, U+FF00 … U+FFEF starts with EF BC or EF BD; dashes E2 80.
    const std::string_view rest = heading.substr(at);
    if (rest.starts_with("\xE3\x80") || rest.starts_with("\xEF\xBC") || rest.starts_with("\xEF\xBD") ||
        rest.starts_with("\xE2\x80")) {
      at += 2;
    } else if (byte >= 0x80 || std::isalnum(byte) != 0 || byte == '_') {
      anchor += static_cast<char>(std::tolower(byte));
    } else if ((byte == ' ' || byte == '-') && !anchor.empty() && !anchor.ends_with('-')) {
      anchor += '-';
    }
  }
  while (anchor.ends_with('-')) anchor.pop_back();
  return anchor;
}

LessonDocument parse_lesson(std::string_view markdown) { return LessonReader().read(markdown); }

}  // namespace tilescope
