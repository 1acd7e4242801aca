// The source panel's state and parts; source.cpp takes things over and edits, source_draw.cpp draws its frame,
// source_lines.cpp what belongs to single lines, source_place.cpp says which of them are in sight, source_ledger.cpp
// the margin grown to columns, beside the traffic view, source_pages.cpp the headers beside the file, source_stages.cpp
// what the compiler made of it, source_compare.cpp two rungs beside each other, source_planted.cpp bugs that a switch
// plants, source_host.cpp the host program.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/draw/editor/code_view.hpp"
#include "app/observed/source_model.hpp"
#include "app/observed/traffic_facts.hpp"
#include "app/panels/source/diff_view.hpp"
#include "app/panels/source/source_headers.hpp"
#include "app/views/context.hpp"

namespace tilescope {

// Unscaled pixels.
constexpr float kSourceHeader = 36, kSourceFooter = 30, kDiffHeader = 28;
// The margin, from the right: sectors per request, bytes, and a bar.
constexpr float kFigureEnd = 14, kRateColumn = 60, kBarLength = 24, kBarStart = 144, kSourceMargin = 162;

/// Columns of the ledger. Edges are right ones, counted from the panel's right edge; below zero: left out.
struct LedgerColumns {
  static constexpr size_t kCount = 6;  // requests, sectors or passes, per request, useful, moved, used
  std::array<float, kCount> edges{};
  float label = 0;  // left edge of the row's kind
  float width = 0;  // the whole margin's; 0 where it would leave the source too little room
};

/// The rung that the source panel compares the one that runs with: the learner's choice, else the one before it on the
/// ladder, else the next. Null where there is no other.
const Rung* compared_rung(const PanelContext& context);

/// Whether the view has the traffic of the lines in columns, beside the source.
bool ledger_in_columns(const PanelContext& context);

class SourcePanel {
 public:
  void draw(PanelContext& context);
  void keep(PanelContext& context);

 private:
  // What is shown, taken over when something has changed.
  void take_source(PanelContext& context);
  void take_result(PanelContext& context);
  void take_ledger(PanelContext& context);
  void take_listing();
  void take_page(PanelContext& context);
  void take_selection(PanelContext& context);
  // Which lines are in sight (source_place.cpp).
  std::optional<uint32_t> line_in_sight(const PanelContext& context, const std::optional<KernelLines>& kernel) const;
  void take_place(PanelContext& context);
  void take_headers(PanelContext& context);
  void take_quote(PanelContext& context);
  void take_difference(PanelContext& context);
  void take_keys(PanelContext& context);
  void fulfil(PanelContext& context, SourceWish wish);
  void apply_edits(PanelContext& context, bool now);
  std::optional<std::string> edited_text() const;  // nothing: it is the file's
  void set_editing(PanelContext& context, bool on);
  void revert(PanelContext& context);
  void save_copy(PanelContext& context);
  void save_own(PanelContext& context);
  void note(PanelContext& context, std::string text, const std::filesystem::path& file, bool is_error);

  // Drawing.
  void draw_header(PanelContext& context, ImVec2 low, float width);
  float draw_column_heads(PanelContext& context, ImVec2 low, float right, float middle);
  float draw_actions(PanelContext& context, float right, float middle);
  struct Action {
    const char *name, *key;
    bool on = false;
    const char* other_key = nullptr;  // for the text that stands there at other times: it has room, too
  };
  bool action(PanelContext& context, const Action& one, float* right, float middle);
  void draw_maximise(PanelContext& context, float* right, float middle);
  void draw_source(PanelContext& context, ImVec2 size);
  void draw_listing(PanelContext& context, ImVec2 size);
  void draw_line(PanelContext& context, uint32_t line, ImVec2 low, ImVec2 high, float text_end);
  void draw_traffic(PanelContext& context, const LineLedger& ledger, ImVec2 low, ImVec2 high);
  void explain_traffic(PanelContext& context, const LineLedger& ledger, ImVec2 low, ImVec2 high);
  // What the compiler made of the source (source_stages.cpp).
  bool shows_listing() const { return page_ != SourcePage::source; }
  KernelLanguage language() const { return language_of(file_); }
  Syntax syntax() const { return language() == KernelLanguage::triton ? Syntax::python : Syntax::cuda; }
  void show_page(PanelContext& context, SourcePage page);
  float draw_page_tabs(PanelContext& context, ImVec2 low, float right, float middle);
  float draw_page_choice(PanelContext& context, ImVec2 low, float middle);
  // The program around the kernel (source_host.cpp).
  void take_host(PanelContext& context);
  void reveal_host_side();
  bool has_program() const { return page_ == SourcePage::host && !listing_.text.empty(); }
  void copy_program(PanelContext& context);
  void save_program(PanelContext& context);
  void draw_program(PanelContext& context, ImVec2 size);
  // The margin grown to columns (source_ledger.cpp).
  bool shows_columns(const PanelContext& context) const {
    return ledger_in_columns(context) && !shows_listing() && !diffing_ && !header_ && columns_.width > 0;
  }
  std::span<const size_t> rows_of(uint32_t line) const;
  void lay_out_columns(PanelContext& context, float width);
  void draw_headings(PanelContext& context, ImVec2 low, float right, float middle);
  void draw_rows(PanelContext& context, uint32_t line, ImVec2 low, ImVec2 high);
  void draw_row(PanelContext& context, const LedgerRow& row, ImVec2 low, ImVec2 high);
  void draw_figures(PanelContext& context, const DataMovement& movement, bool total, float right, float middle);
  void draw_column_total(PanelContext& context, ImVec2 low, ImVec2 high);
  void take_row(PanelContext& context);
  static bool is_parameter(const PanelContext& context, std::string_view word);
  void explain_parameter(PanelContext& context, const HoveredParameter& parameter);
  // The headers beside the file (source_pages.cpp).
  void show_header(PanelContext& context, const std::string& name);
  void follow_into_header();
  CodeView& page() { return shows_listing() ? page_view_ : header_ ? header_page_ : source_; }
  const LineLedger* header_traffic(size_t header, uint32_t line) const;
  void select_caller(PanelContext& context, std::string_view header, uint32_t line);
  void draw_header_page(PanelContext& context, ImVec2 size);
  float draw_file_name(PanelContext& context, ImVec2 low, float right, float middle);
  void draw_file_choices(PanelContext& context);
  // Two rungs beside each other (source_compare.cpp).
  void draw_diff(PanelContext& context, ImVec2 size);
  void draw_diff_header(PanelContext& context, ImVec2 low, float width);
  float draw_other_rung(PanelContext& context, ImVec2 low, float right, float middle);
  float draw_run_rung(PanelContext& context, ImVec2 low, float right, float middle);
  std::string count_beside(size_t side) const;
  JoinedSource::Place place_in_diff(uint32_t line) const;
  // The bugs that are planted, beside the kernel as its file has it (source_planted.cpp).
  bool wants_planted(const PanelContext& context);
  bool take_planted(PanelContext& context);
  bool is_new_difference(bool planted, const std::vector<std::string>& left, const std::vector<std::string>& right);
  void draw_planted_header(PanelContext& context, ImVec2 low, float width);
  void draw_rung_choices(PanelContext& context);
  ImU32 fill_of(const PanelContext& context, uint32_t line) const;
  void draw_footer(PanelContext& context, ImVec2 low, ImVec2 high);
  bool draw_error_strip(PanelContext& context, ImVec2 low, ImVec2 high);
  void reveal_error(PanelContext& context, const CompileMessage& error);
  void draw_notice(PanelContext& context, ImVec2 low, float width, float middle);
  // An own file that changed on disk while it is edited here (source_conflict.cpp).
  float draw_conflict(PanelContext& context, ImVec2 low, float width);

  /// Whether the result was made from the text that is shown, so that its line numbers are those on the screen.
  bool lines_agree() const {
    return result_ && result_->plan.source_file == file_ && !edits_pending_ &&
           result_->request.edited_source == taken_edit_;
  }
  const CompileMessage* error_on(uint32_t line) const { return error_in(file_, line); }
  const CompileMessage* error_in(std::string_view file, uint32_t line) const;
  const Finding* finding_on(uint32_t line) const;

  CodeView source_{Syntax::cuda}, page_view_{Syntax::ptx};
  std::string lab_, rung_, kernel_, file_, original_;
  std::optional<std::string> taken_edit_;  // the request's edit as it was last seen here
  bool edits_pending_ = false;
  double edited_at_ = 0;

  std::shared_ptr<const RunResult> result_;
  Ledger ledger_;
  uint64_t ledger_version_ = 0;
  std::vector<LedgerRow> rows_;                      // for all files
  std::map<uint32_t, std::vector<size_t>> by_line_;  // those of this file
  DataMovement row_total_;
  bool total_is_shared_ = false;  // the kernel touches no global memory
  LedgerColumns columns_;
  std::optional<size_t> pressed_row_;
  std::vector<CompileMessage> errors_;
  std::string error_seen_;

  SourcePage page_ = SourcePage::source;
  Listing listing_;  // of page_; of the PTX while the source is shown
  std::string listed_kernel_;
  SourcePage listed_page_ = SourcePage::source;

  std::optional<Request> hosted_;  // what the program is of
  Phrase no_program_;              // why there is none
  std::string program_file_;       // "program.cu"

  std::vector<SourceHeader> headers_;
  std::optional<std::string> headers_of_;  // the text that they are of
  uint64_t headers_version_ = 0;           // the ledger's when they were read
  uint64_t headers_revision_ = 0;          // that of their texts
  std::optional<size_t> header_;           // which is shown
  CodeView header_page_{Syntax::cuda};
  std::vector<Ledger> header_ledgers_;
  std::set<uint32_t> called_;  // lines of the header that the selected line has brought about
  std::set<uint32_t> quoted_;  // lines of the page that another view asked for

  bool diffing_ = false;  // two rungs are compared, or planted bugs are shown
  bool planted_ = false;  // it is the latter
  DiffView diff_;
  std::optional<JoinedSource> joined_;  // what is compared: the file and its headers
  uint32_t before_lines_ = 0;           // with planted bugs: lines of the text without them, which comes first; else 0
  bool planted_differs_ = false;        // the planted bugs change a line of what is shown
  std::string other_;
  /// What a difference is computed from: kernels on both sides, or kernels and the bugs that are planted in them.
  struct Difference {
    std::string lab;
    uint64_t revision = 0, headers = 0;
    bool planted = false;
    std::vector<std::string> left, right;
    bool operator==(const Difference&) const = default;
  };
  std::optional<Difference> diffed_;  // the last one
  size_t run_side_ = DiffView::kRight;
  std::optional<uint32_t> selected_, lit_;
  bool chosen_ = false;         // by the learner: a result selects what is worth seeing of it, and that is no choice
  bool selected_here_ = false;  // the selection came from this panel: do not scroll to it

  /// What ought to be in sight. A new one is scrolled to; while it stays the same, the learner may look elsewhere.
  struct Sight {
    std::string lab, rung, kernel;
    std::string view;  // one that speaks of lines: each shows the line anew
    std::optional<uint32_t> line;
    bool operator==(const Sight&) const = default;
  };
  Sight sight_;

  std::string notice_, notice_path_;
  std::string told_;  // what was said about the file on disk, in the status bar
  bool notice_is_error_ = false;
};

}  // namespace tilescope
