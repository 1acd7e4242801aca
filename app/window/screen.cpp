#include "app/window/screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/keys.hpp"
#include "app/draw/menus.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/panels.hpp"
#include "app/views/questions.hpp"
#include "app/views/steps/steps_column.hpp"
#include "app/views/view.hpp"
#include "app/window/certificate_dialog.hpp"
#include "app/window/file_dialog.hpp"
#include "app/window/header.hpp"
#include "app/window/help_glossary.hpp"
#include "app/window/nothing_runs.hpp"
#include "app/window/palette.hpp"
#include "app/window/python_question.hpp"
#include "app/window/screen_areas.hpp"
#include "app/window/tour.hpp"
#include "engine/sha256.hpp"

namespace tilescope {
namespace {

// Heights in unscaled pixels.
constexpr float kLeastLower = 240;      // minimum for the ledger: tabs, header, footer and seven rows
constexpr double kRestSeconds = 0.35;   // how long the pointer must rest before a tooltip appears
constexpr double kBriefSeconds = 0.15;  // a result that is stale for less time is not dimmed

/// The area that the shown view wants below it; a maximised source hides it.
Lower lower_of(const PanelContext& context, const Layout& layout) {
  return context.view.source_maximised ? Lower() : context.shown->lower(context, layout.stacked);
}

/// The view's explanation, followed by the reason why its tab is empty.
TabNote note_of(const PanelContext& context, const ViewSpec& spec, const View& view) {
  TabNote note{context.strings(spec.text("meaning")), false};
  const char* reason = context.result == nullptr ? nullptr : view.empty_reason(context.result);
  if (reason == nullptr) return note;
  note.meaning += "\n" + context.strings(reason);
  note.empty = true;
  return note;
}

/// Rung::kernel_file of the lab's rungs, each once.
std::set<std::string> kernel_files_of(const Lab& lab) {
  std::set<std::string> files;
  for (const Rung& rung : lab.rungs) files.insert(rung.kernel_file);
  return files;
}

/// Areas that no tooltip may cover: error messages, and the card of the first steps.
std::vector<Mark> places_to_keep_free(const Marks& marks) {
  std::vector<Mark> places;
  for (const auto& [name, place] : marks)
    if (name.starts_with("problem.") || name.starts_with("error.") || name == "refusal" || name == "source.error" ||
        name == "tour card")
      places.push_back(place);
  return places;
}

}  // namespace

Screen::Screen(std::shared_ptr<Engine> engine, Strings texts, std::shared_ptr<const Recordings> recordings)
    : session(std::move(engine), std::move(recordings)),
      workshop(session.engine().root()),
      recall(session.engine().root()),
      strings(std::move(texts)),
      views_(std::make_unique<WindowViews>()),
      panels_(std::make_unique<Panels>()),
      steps_(std::make_unique<StepsColumn>()),
      edits_(std::make_unique<KeptEdits>()),
      palette_(std::make_unique<Palette>()),
      dialog_(std::make_unique<FileDialog>()),
      glossary_(std::make_unique<GlossaryPage>()) {}
Screen::~Screen() = default;

void Screen::show_message(std::string text) {
  message = std::move(text);
  message_until = ImGui::GetTime() + 8;
}

void Screen::open_file(const std::filesystem::path& file) { sandbox.open(file); }

void Screen::open_dialog() {
  const auto& recent = sandbox.recent();
  std::error_code ignored;
  open_file_dialog(*dialog_, recent.empty() ? std::filesystem::current_path(ignored) : recent.front().parent_path(),
                   sandbox.wake());
}

void Screen::restore_edits(std::filesystem::path folder) {
  edits_ = std::make_unique<KeptEdits>(std::move(folder));
  sandbox.set_edits(edits_.get());
  workshop.set_edits(edits_.get());
  size_t restored = 0;
  for (const Lab& lab : labs())
    for (const std::string& file : kernel_files_of(lab))
      if (const KeptEdits::Edit* edit = edits_->find(lab_edit_name(lab.name, file))) {
        session.restore_edit(lab.name, file, edit->text);
        ++restored;
      }
  if (workshop.catalogue().find(exercise_to_open) != nullptr) workshop.open(session, exercise_to_open);
  if (restored > 0) show_message(strings.format("status.edits_restored", fmt::arg("count", restored)));
}

/// After the panels, so that edits that they have just taken over are stored in the same frame.
void Screen::keep_edits() {
  const std::optional<Error> problem = edits_->problem();
  const std::string said = problem ? problem->message : std::string();
  if (std::exchange(edit_problem_, said) != said && problem)
    show_message(strings.format("status.edits_not_kept", fmt::arg("reason", strings.message(*problem))));
  const bool own = session.shows_own(), exercise = workshop.is_shown(session);
  if (own && !exercise && !sandbox.is_shown(session)) return;
  std::string name = exercise ? workshop.edit_name()
                     : own    ? file_edit_name(sandbox.file())
                              : lab_edit_name(session.lab().name, session.rung().kernel_file);
  const auto& edited = session.newest_source();
  if (name == edit_name_ && edited == edit_kept_) return;
  edit_name_ = std::move(name);
  edit_kept_ = edited;
  if (!edited) return edits_->drop(edit_name_);
  edits_->keep(edit_name_, {*edited, base_of_edit(own)});
}

/// A continued edit keeps its base. If a user's file has meanwhile changed on disk, its new text becomes the base only
/// when the learner has chosen to keep the edit: until then, a restart must detect the conflict too.
std::string Screen::base_of_edit(bool own) {
  if (workshop.is_shown(session)) return sha256_of(workshop.start_text());
  const KeptEdits::Edit* known = edits_->find(edit_name_);
  if (known != nullptr && (!own || sandbox.changed_beside_edits())) return known->base;
  if (own) return sha256_of(sandbox.text_on_disk());
  return sha256_of(read_source_file(session.engine().root() / session.source_file()).value_or(""));
}

/// An exercise opens with its task, and a lab that is opened after it with its lesson.
void Screen::follow_exercise() {
  const bool shown = workshop.is_shown(session);
  const std::string name = shown ? workshop.exercise().name : std::string();
  if (name == exercise_) return;
  exercise_ = name;
  if (shown)
    view.tab = "task";
  else if (view.tab == "task")
    view.tab = "lesson";
}

/// A lab on the order of its blocks opens at a size at which most of them are modelled. Tiles, which shows executed
/// blocks, would be empty there: the order is shown in its place, and Tiles again in the next lab.
void Screen::follow_lab() {
  const std::string& name = session.lab().name;
  if (name == lab_) return;
  const Lab* left = find_lab(lab_);
  lab_ = name;
  if (left == nullptr) return;  // the first one keeps the view that was asked for
  if (session.lab().models_block_order && view.tab == "tiles")
    view.tab = "order";
  else if (left->models_block_order && view.tab == "order")
    view.tab = "tiles";
}

void Screen::zoom(int steps) {
  const float wanted = steps == 0 ? 1.0F : view.user_scale + static_cast<float>(steps) * ViewState::kScaleStep;
  view.user_scale = std::clamp(wanted, ViewState::kSmallestScale, ViewState::kLargestScale);
  show_message(strings.format("status.scale", fmt::arg("percent", std::lround(view.user_scale * 100))));
}

void Screen::reset_layout() {
  const ViewState fresh;
  view.rail_width = fresh.rail_width;
  view.controls_width = fresh.controls_width;
  view.bottom_height = fresh.bottom_height;
  view.source_width = fresh.source_width;
  view.steps_width = fresh.steps_width;
  view.lower_hidden = view.source_maximised = false;
}

void Screen::show_help(Help page) {
  help_open_ = true;
  help_page_ = page;
  help_text_.clear();
  if (page == Help::glossary) glossary_->open("");
}

void Screen::show_term(std::string term) {
  show_help(Help::glossary);
  glossary_->open(std::move(term));
}

void Screen::show_sheet(std::string name) {
  view.sheet = std::move(name);
  view.tab = "sheets";
  view.source_maximised = false;
}

void Screen::open_finder() { open_palette(*palette_); }

bool Screen::moving() const {
  // A tooltip becomes due at the end of a frame; the next frame lays it out, and the one after that shows it.
  constexpr int kFramesOfTooltip = 3;
  const bool tooltip_pending = view.animate && !view.explained.empty() && view.explained != quiet_about_ &&
                               explanation_frames_ < kFramesOfTooltip;
  return views_->at(view.tab).moving(session, view) || StepsColumn::moving(view) || session.busy() ||
         session.bench_running() || tooltip_pending;
}

/// The areas, adapted to the shown view.
Layout Screen::arrange(PanelContext& context, float width, float height) {
  Layout layout = lay_out(view, width, height, steps_->is_shown(context));
  view.source_usual_width = 0;
  if (view.source_maximised || view.lower_hidden) return layout;
  const Lower wanted = lower_of(context, layout);
  if (wanted.lowered > 0) {
    // At most down to a few lines of code.
    const float room = layout.status.top - layout.view.bottom - context.px(kLeastLower);
    const float lower = std::clamp(std::round(wanted.lowered * view.scale), 0.0F, std::max(room, 0.0F));
    for (float* edge : {&layout.view.bottom, &layout.source.top, &layout.speed.top, &layout.bottom_tabs.top,
                        &layout.bottom_tabs.bottom})
      *edge += lower;
    if (layout.steps.bottom < layout.status.top) layout.steps.bottom += lower;
  }
  if (wanted.areas == Lower::Areas::own) {
    layout.source.right = layout.speed.left = std::round((layout.source.left + layout.view.right) / 2);
    layout.speed.right = layout.view.right;
    if (layout.stacked)
      layout.source =
          layout.speed = {layout.view.left, layout.bottom_tabs.bottom, layout.view.right, layout.status.top};
  } else if (session.shows_own() || ((wanted.areas == Lower::Areas::source || view.diff) && !layout.stacked)) {
    // A user's file has no recorded speed to compare with; below the traffic view the source has a ledger in its
    // margin; two rungs need the width of both areas.
    if (!session.shows_own() && wanted.areas != Lower::Areas::source) view.source_usual_width = layout.source.width();
    layout.source.right = layout.speed.right;
    layout.speed = {};
    view.bottom_speed = false;
  }
  return layout;
}

void Screen::draw(float width, float height) {
  escape_used_ = close_menus_by_input(view);
  sandbox.poll(session);
  workshop.poll(session);
  if (const auto error = workshop.take_problem()) show_message(as_sentence(strings, *error));
  follow_exercise();
  follow_lab();
  const bool source_asked = view.source_page || view.quote;
  if (source_asked && !source_asked_) show_source();
  source_asked_ = source_asked;
  if (std::exchange(view.asks_for_file, false)) open_dialog();
  if (const auto error = sandbox.take_opening_error()) show_message(as_sentence(strings, *error));
  if (const auto term = std::exchange(view.asks_for_term, std::nullopt)) show_term(*term);
  if (!view.say.empty()) show_message(std::exchange(view.say, {}));
  session.poll();
  enter_lab(view, session.lab().name);
  const std::string explained = std::exchange(view.explained, {});
  view.keep_free = places_to_keep_free(view.marks);
  view.marks.clear();
  view.tooltip.reset();
  view.source_drawn = false;
  // A result that is replaced at once is not dimmed, so that nothing flickers during a drag.
  stale_for_ = session.stale() ? stale_for_ + static_cast<double>(ImGui::GetIO().DeltaTime) : 0;
  const bool stale = session.stale() && (stale_for_ > kBriefSeconds || !session.busy());
  PanelContext context{{view, strings, theme(), fonts, stale},
                       session,
                       view,
                       heat_maps,
                       session.result(),
                       &sandbox,
                       panels_.get(),
                       &views_->at(view.tab),
                       &workshop,
                       &recall};
  ask_questions(context);

  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushFont(fonts.small);
  ImGui::Begin("tilescope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground |
                   kFixedArea);
  const Layout layout = arrange(context, width, height);
  view.rail_right = std::max(layout.rail.right, layout.steps.right);
  view.column_left = layout.controls.left;
  draw_areas(context, layout);
  ImGui::End();
  if (layout.steps.width() > 0) StepsColumn::draw_look_here(context);
  handle_keys(context);
  if (!view.source_drawn) keep_source(context);
  keep_edits();
  view.source_active = view.source_active && view.source_drawn;
  draw_palette(*palette_, context, *this);
  draw_file_dialog(*dialog_, context, *this);
  draw_python_question(context, sandbox);
  if (draw_certificate_dialog(context)) wants_certificate = true;
  follow_tour(context);
  draw_tour(context);
  draw_help(context);
  ImGui::PopFont();
  // A tooltip appears after a moment of rest, and disappears at once. After a press or a key it stays hidden until the
  // pointer is on a different item: it would cover the effect.
  const ImGuiIO& io = ImGui::GetIO();
  if (view.explained != quiet_about_) quiet_about_.clear();
  if (ImGui::IsAnyMouseDown() || !io.InputQueueCharacters.empty()) quiet_about_ = view.explained;
  const bool resting = !view.explained.empty() && view.explained == explained && view.explained != quiet_about_;
  view.explained_for = resting ? view.explained_for + static_cast<double>(ImGui::GetIO().DeltaTime) : 0;
  explanation_frames_ = view.explanation_due && resting ? explanation_frames_ + 1 : 0;
  view.explanation_due = view.explained_for > kRestSeconds;
}

void Screen::draw_areas(PanelContext& context, const Layout& layout) {
  const Theme& colours = context.theme;
  surfaces_ = {{{0, 0, layout.header.right, layout.header.bottom}, colours.panel},
               {layout.rail, colours.panel},
               {layout.steps, colours.panel},
               {layout.controls, colours.panel},
               {layout.status, colours.panel}};
  begin_area("header", {layout.logo.left, layout.logo.top, layout.header.right, layout.header.bottom}, kFixedArea);
  draw_header(context, *this, layout.header.left);
  const float line = std::max(1.0F, std::round(view.scale));
  edge(colours, 0, layout.header.bottom - line, layout.header.right, layout.header.bottom);
  ImGui::EndChild();
  if (layout.rail.width() > 0) {
    begin_area("rail", layout.rail, kFixedArea);
    draw_rail(context);
    ImGui::EndChild();
  }
  if (layout.steps.width() > 0) {
    begin_area("steps", layout.steps, kFixedArea);
    steps_->draw(context);
    ImGui::EndChild();
    if (layout.steps.bottom < layout.status.top)
      edge(colours, layout.steps.left, layout.steps.bottom - line, layout.steps.right, layout.steps.bottom);
  }
  draw_tabs(context, layout);
  // The view is drawn before the areas below it, so it shows what was hovered there in the last frame.
  const bool pointed_below = ImGui::GetIO().MousePos.y >= layout.view.bottom;
  if (!pointed_below) view.hover = {};
  draw_view(context, layout);
  if (pointed_below) view.hover = {};
  draw_bottom(context, layout);
  begin_area("controls", layout.controls, 0);
  draw_controls(context);
  ImGui::EndChild();
  begin_area("status", layout.status, kFixedArea);
  draw_status(context);
  edge(colours, 0, layout.status.top, layout.status.right, layout.status.top + line);
  if (!message.empty() && ImGui::GetTime() < message_until) {
    const ImVec2 low = ImGui::GetWindowPos();
    const float right = low.x + layout.status.width() - context.px(16);
    const std::string shown = fit_text(fonts.small, message, layout.status.width() - context.px(48));
    const ImVec2 size = text_size(fonts.small, shown);
    ImGui::GetWindowDrawList()->AddRectFilled({right - size.x - context.px(16), low.y + context.px(1)},
                                              {right, layout.status.bottom}, colours.panel);
    draw_text_right(ImGui::GetWindowDrawList(), fonts.small,
                    {right, centred_top(fonts.small, low.y + layout.status.height() / 2)}, colours.text, shown);
    mark(context, "status.message", {right - size.x, low.y}, {right, layout.status.bottom});
    explain_rect(context, {right - size.x, low.y}, {right, layout.status.bottom}, message);
  }
  ImGui::EndChild();
  draw_splitters(context, layout);
}

void Screen::draw_tabs(PanelContext& context, const Layout& layout) {
  const float switch_width = steps_switch_width(context, layout);
  const Area row{layout.tabs.left, layout.tabs.top, layout.tabs.right - switch_width, layout.tabs.bottom};
  begin_area("tabs", row, kFixedArea);
  const float line = std::max(1.0F, std::round(view.scale));
  ImGui::SetCursorScreenPos({layout.tabs.left + context.px(24), layout.tabs.top});
  std::vector<std::string> names;
  std::vector<TabNote> notes;
  std::vector<std::string_view> shown;
  int current = 0;
  std::vector<const ViewSpec*> specs;
  for (const ViewSpec& spec : tilescope::views()) specs.push_back(&spec);
  std::ranges::stable_sort(specs, std::ranges::greater(), [](const ViewSpec* spec) { return spec->leads; });
  for (const ViewSpec* one : specs) {
    const ViewSpec& spec = *one;
    const bool is_current = spec.name == view.tab;
    if (!is_current && !views_->at(spec.name).concerns(session)) continue;
    if (is_current) current = static_cast<int>(shown.size());
    shown.push_back(spec.name);
    names.push_back(strings(spec.text("title")));
    notes.push_back(note_of(context, spec, views_->at(spec.name)));
  }
  const int chosen = tab_row(context, "tab", names, current, layout.tabs.height() - line, notes);
  if (chosen != current) view.source_maximised = false;  // so that the view is visible
  view.tab = shown[static_cast<size_t>(chosen)];
  context.shown = &views_->at(view.tab);
  edge(context.theme, row.left, row.bottom - line, row.right, row.bottom);
  ImGui::EndChild();
  if (switch_width <= 0) return;
  const Area rest{row.right, row.top, layout.tabs.right, row.bottom};
  begin_area("steps switch", rest, kFixedArea);
  draw_steps_switch(context, rest);
  edge(context.theme, rest.left, rest.bottom - line, rest.right, rest.bottom);
  ImGui::EndChild();
}

void Screen::draw_view(PanelContext& context, const Layout& layout) {
  if (view.source_maximised) return;
  // One child per tab, so that each keeps its own scroll position.
  const std::string id = "view " + view.tab;
  begin_area(id.c_str(), layout.view, 0);
  View& shown = views_->at(view.tab);
  if (!shown.needs_no_run() && draw_why_nothing_runs(context)) {
    ImGui::EndChild();
    return;
  }
  shown.draw(context);
  ImGui::EndChild();
}

void Screen::draw_bottom(PanelContext& context, const Layout& layout) {
  if (layout.strip.height() > 0) return draw_lower_strip(context, layout);
  if (lower_of(context, layout).areas == Lower::Areas::own) {
    View& shown = views_->at(view.tab);
    if (!layout.stacked) return shown.draw_lower(context, layout.source, layout.speed);
    return shown.draw_lower_stacked(
        context, {layout.source.left, layout.bottom_tabs.top, layout.source.right, layout.source.bottom});
  }
  if (layout.stacked && !view.source_maximised) {
    begin_area("bottom tabs", layout.bottom_tabs, kFixedArea);
    ImGui::SetCursorScreenPos({layout.bottom_tabs.left + context.px(24), layout.bottom_tabs.top});
    std::vector<std::string> names{strings("header.tab_source"), strings("header.tab_speed")};
    if (session.shows_own()) names.pop_back();
    const TabNote notes[] = {{strings("tab.source_meaning")}, {strings("tab.speed_meaning")}};
    view.bottom_speed =
        tab_row(context, "bottom", names, view.bottom_speed ? 1 : 0, layout.bottom_tabs.height(), notes) == 1;
    ImGui::EndChild();
  }
  if (!layout.stacked || !view.bottom_speed || view.source_maximised) {
    begin_area("source", layout.source, kFixedArea);
    draw_source(context);
    ImGui::EndChild();
  }
  if (layout.speed.width() > 0 && (!layout.stacked || view.bottom_speed)) {
    begin_area("speed", layout.speed, kFixedArea);
    draw_speed(context);
    ImGui::EndChild();
  }
}

void Screen::draw_splitters(PanelContext& context, const Layout& layout) {
  const ViewState fresh;
  const float line = std::max(1.0F, std::round(view.scale));
  // `shown` is the size that fit into the window; a drag starts from there, not from the remembered size.
  const auto drag = [&](const char* id, ImVec2 low, ImVec2 high, float& extent, float shown, float initial,
                        float direction) {
    const SplitterDrag dragged = splitter(context, id, low, high);
    if (dragged.moved != 0) extent = shown + direction * dragged.moved;
    if (dragged.reset) extent = initial;
  };
  if (layout.rail.width() > 0)
    drag("splitter.rail", {layout.rail.right - line, 0}, {layout.rail.right - line, layout.status.top}, view.rail_width,
         view.rail_width, fresh.rail_width, 1);
  if (layout.steps.width() > 0)
    drag("splitter.steps", {layout.steps.right - line, layout.steps.top},
         {layout.steps.right - line, layout.steps.bottom}, view.steps_width, view.steps_width, fresh.steps_width, 1);
  drag("splitter.controls", {layout.controls.left, layout.controls.top}, {layout.controls.left, layout.controls.bottom},
       view.controls_width, view.controls_width, fresh.controls_width, -1);
  if (view.source_maximised) return;
  const Lower wanted = lower_of(context, layout);
  drag_lower(context, layout, wanted.lowered);
  if (view.lower_hidden) return;
  draw_lower_chevron(context, layout);
  if (layout.stacked || layout.speed.width() <= 0 || wanted.areas == Lower::Areas::own) return;
  drag("splitter.source", {layout.source.right, layout.source.top}, {layout.source.right, layout.source.bottom},
       view.source_width, layout.source.width() / view.scale, fresh.source_width, 1);
}

}  // namespace tilescope
