// A lesson as data: Markdown (CommonMark with tables, read by md4c) → a flat list of blocks. No drawing.
//
// Links act in the program if their address has one of these forms; "#heading" scrolls, anything else is external.
//
//     lab:vector-add      rung:grid-stride      tab:tiles      set:BLOCK=32      break:DROP_MASK
//     exercise:add-ten      steps:show      errors.md (a cheat sheet, from a different one)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/observed/view_state.hpp"

namespace tilescope {

enum class LinkKind : uint8_t {
  lab,
  rung,
  tab,
  set,
  break_it,
  exercise,
  steps,  // generated, never written: the lab's steps beside the view
  sheet,
  source,  // a page of the source panel: "host"
  heading,
  external,
  answer  // generated, never written
};
struct LessonLink {
  LinkKind kind = LinkKind::external;
  std::string target;   // without its prefix; for an external one the whole address
  std::string address;  // as written
};
LessonLink link_from(std::string_view address);
/// The page of the source panel that a link or an option names: "ttir", "ttgir", "ptx" or "host".
std::optional<SourcePage> source_page_named(std::string_view name);
/// "BLOCK=32" → {"BLOCK", 32}
std::optional<std::pair<std::string, int64_t>> assignment_from(std::string_view text);

/// A piece of text in one style. text "\n" is a hard line break.
struct LessonSpan {
  std::string text;
  bool strong = false, emphasis = false, code = false;
  int link = -1;  // index into LessonDocument::links
  int term = -1;  // index into Glossary::terms(), set by mark_terms()
};
using LessonSpans = std::vector<LessonSpan>;

enum class LessonBlockKind : uint8_t { heading, paragraph, code, table, rule, figure };
enum class LessonAlign : uint8_t { left, centre, right };

struct LessonBlock {
  LessonBlockKind kind = LessonBlockKind::paragraph;
  int level = 0;                   // heading: 1 … 6
  int indent = 0;                  // depth of the enclosing lists
  int quote = 0;                   // depth of the enclosing block quotes
  std::string marker;              // "•" or "3." for the first block of a list item
  bool tight = false;              // in a list without blank lines between its items
  LessonSpans spans;               // heading, paragraph
  bool live = false;               // the spans contain {{values}} of the current run
  std::string anchor;              // heading: target of "#…" links
  std::string language, text;      // code: language is the first word of the fence's info, text ends without '\n'
  std::string info;                // code: the rest of the fence's info; figure: its kind and parameters
  std::vector<LessonAlign> align;  // table: by column
  std::vector<std::vector<LessonSpans>> rows;  // table: the first is the head
};

struct LessonDocument {
  std::vector<LessonBlock> blocks;
  std::vector<LessonLink> links;
  std::string title;  // the first heading
};
LessonDocument parse_lesson(std::string_view markdown);

/// "What a grid is" → "what-a-grid-is"; Chinese characters are kept, punctuation is removed.
std::string anchor_of(std::string_view heading);
std::string plain_text(const LessonSpans& spans);

}  // namespace tilescope
