#include "app/window/nothing_runs.hpp"

#include <algorithm>

#include "app/draw/sentences.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/source_model.hpp"
#include "app/sandbox/sandbox.hpp"

namespace tilescope {
namespace {

struct Trouble {
  std::string title, text;
  uint32_t line = 0;  // source line; 0: none
};

/// The message of the form's first invalid field.
Trouble trouble_of_form(const PanelContext& context, const Sandbox& sandbox) {
  const Strings& strings = context.strings;
  const auto& problems = sandbox.filled().problems;
  if (problems.empty()) return {strings("controls.no_result"), strings("sandbox.mend_form")};
  const auto& [field, problem] = *problems.begin();
  return {strings("sandbox.cannot_launch"),
          strings.format("sandbox.at_field", fmt::arg("field", field),
                         fmt::arg("text", strings.format(problem.key, problem.places)))};
}

Trouble trouble_of(const PanelContext& context, const Error& error) {
  const Strings& strings = context.strings;
  const Sandbox* own =
      context.sandbox != nullptr && context.sandbox->is_shown(context.session) ? context.sandbox : nullptr;
  const std::string file = file_name_of(context.session.source_file());
  const auto messages = compile_errors(error);
  if (error.id == ErrorId::compile_failed && !messages.empty()) {
    const uint32_t line = is_in_file(messages.front(), file) ? messages.front().line : 0;
    return {strings.format("sandbox.does_not_compile", fmt::arg("file", file)),
            compile_errors_text(strings, messages, file), line};
  }
  if (own != nullptr) {
    const auto& problems = own->filled().problems;
    if (error.id == ErrorId::form_incomplete) return trouble_of_form(context, *own);
    if (const auto kernel = problems.find("kernel"); kernel != problems.end())
      return {strings.format("sandbox.nothing_to_run", fmt::arg("file", file)),
              strings.format(kernel->second.key, kernel->second.places)};
  }
  std::string text = with_file_names(sentence(strings, error), error);
  text.resize(std::min(text.size(), text.find('\n')));
  return {strings("controls.no_result"), std::move(text)};
}

}  // namespace

bool draw_why_nothing_runs(PanelContext& context) {
  const auto& error = context.session.error();
  if (context.result || !error || error->id == ErrorId::cancelled) return false;
  const Trouble trouble = trouble_of(context, *error);
  const ImVec2 low = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  std::string text = trouble.text;
  if (trouble.line > 0) text += "\n" + context.strings("sandbox.go_to_line");
  empty_state(context, trouble.title, text);
  mark(context, "view.trouble", low, {low.x + size.x, low.y + size.y});
  if (trouble.line == 0) return true;
  ImGui::SetCursorScreenPos(low);
  if (hit_area("go to line", size)) context.view.selection.line = trouble.line;
  return true;
}

}  // namespace tilescope
