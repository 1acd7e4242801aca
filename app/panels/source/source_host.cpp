// The page Host: the whole program around the kernel at the present settings and switches, to read, copy and save.
#include <imgui.h>

#include <algorithm>
#include <filesystem>

#include "app/draw/widgets.hpp"
#include "app/panels/source/source_view.hpp"
#include "app/session/saved_files.hpp"
#include "engine/host_program/host_program.hpp"
#include "engine/report/report.hpp"

namespace tilescope {

/// Follows the settings at once, before they have run.
void SourcePanel::take_host(PanelContext& context) {
  if (page_ != SourcePage::host) {
    hosted_.reset();
    return;
  }
  const Request& request = context.session.request();
  if (hosted_ == request) return;
  const bool opened = !hosted_ || hosted_->lab != request.lab || hosted_->rung != request.rung;
  hosted_ = request;
  listed_kernel_.clear();
  listed_page_ = SourcePage::host;
  listing_ = {};
  no_program_ = {};
  const Engine& engine = context.session.engine();
  if (const auto plan = engine.plan(request); !plan) {
    no_program_ = plan.error().what.empty() ? Phrase(plan.error().message) : plan.error().what;
  } else if (auto program = host_program_of(engine, request, *plan, reproducing_command(request)); !program) {
    no_program_ = std::move(program.error());
  } else {
    program_file_ = program->file_name();
    listing_.text = std::move(program->text);
  }
  page_view_.set_syntax(syntax());
  if (page_view_.buffer.text() == listing_.text) return;
  page_view_.buffer.reset(listing_.text);
  if (opened) reveal_host_side();
}

/// The kernel is known from its own page: the part that begins here is what the page is for.
void SourcePanel::reveal_host_side() {
  const std::string& text = listing_.text;
  const size_t main = text.find("\nint main() {"), buffers = text.find("\n# Buffers on the GPU.");
  const size_t at = main != std::string::npos ? main : buffers;
  if (at == std::string::npos) return;
  const auto line = static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n'));
  page_view_.reveal(line + 1, CodeView::Place::top);
}

void SourcePanel::copy_program(PanelContext& context) {
  ImGui::SetClipboardText(listing_.text.c_str());
  note(context, context.strings("source.program_copied"), {}, false);
}

/// "hello-grid-program.cu" among the learner's files.
void SourcePanel::save_program(PanelContext& context) {
  const auto folder = make_saved_files_folder();
  if (!folder) return note(context, as_sentence(context.strings, folder.error()), saved_files_folder(), true);
  const std::filesystem::path file = program_file_;
  const std::string name =
      (context.session.shows_own() ? std::filesystem::path(file_).stem().string() : context.lab().name) + "-" +
      context.rung().name + "-" + file.stem().string();
  const std::string ending = file.extension().string();
  const auto saved = tilescope::save_copy(*folder, name, listing_.text, ending);
  if (!saved) return note(context, as_sentence(context.strings, saved.error()), *folder, true);
  const char* key = saved->is_new_name ? "source.saved_new_name" : "source.saved";
  note(context, context.strings.format(key, fmt::arg("file", saved->file.string()), fmt::arg("taken", name + ending)),
       saved->file, false);
}

void SourcePanel::draw_program(PanelContext& context, ImVec2 size) {
  if (listing_.text.empty()) {
    ImGui::BeginChild("no-program", size);
    empty_state(context, context.strings("source.no_program"), sentence(context.strings, no_program_));
    ImGui::EndChild();
    return;
  }
  page_view_.draw(context, "host", size, {});
}

}  // namespace tilescope
