// The links of a lesson: their explanations, and the effect of a click.
#include <algorithm>

#include "app/views/lesson/lesson_view.hpp"
#include "app/views/open_address.hpp"
#include "app/workshop/workshop.hpp"

namespace tilescope {

std::string LessonView::meaning_of(PanelContext& context, const LessonLink& link) const {
  const Strings& strings = context.strings;
  switch (link.kind) {
    case LinkKind::lab:
      if (const Lab* lab = find_lab(link.target))
        return strings.format("lesson.link_lab", fmt::arg("name", strings(lab->title)));
      return link.target;
    case LinkKind::rung:
      if (const Rung* rung = find_rung(context.lab(), link.target))
        return strings.format("lesson.link_rung", fmt::arg("name", strings(rung->title)));
      return link.target;
    case LinkKind::tab:
      return strings.format("lesson.link_tab", fmt::arg("name", strings("view." + link.target + ".title")));
    case LinkKind::set:
      return strings.format("lesson.link_set", fmt::arg("assignment", link.target));
    case LinkKind::break_it:
      return strings.format("lesson.link_break", fmt::arg("name", link.target));
    case LinkKind::exercise:
      return strings("lesson.link_exercise");
    case LinkKind::steps:
      return strings("lesson.link_steps");
    case LinkKind::sheet:
      return strings("lesson.link_sheet");
    case LinkKind::source:
      return strings.format("lesson.link_source", fmt::arg("name", strings("source." + link.target)));
    case LinkKind::heading:
      return strings("lesson.link_heading");
    case LinkKind::answer:
      return strings("lesson.show_answer_meaning");
    case LinkKind::external:
      break;
  }
  return strings.format("lesson.link_external", fmt::arg("address", link.target));
}

void LessonView::act(PanelContext& context, const LessonLink& link) {
  Session& session = context.session;
  switch (link.kind) {
    case LinkKind::lab:
      session.select_lab(link.target);
      break;
    case LinkKind::rung:
      session.select_rung(link.target);
      break;
    case LinkKind::tab:
      if (find_view(link.target) != nullptr) context.view.tab = link.target;
      break;
    case LinkKind::set:
      if (const auto assignment = assignment_from(link.target)) {
        session.set_param(assignment->first, assignment->second);
        session.set_size(assignment->first, assignment->second);
      }
      break;
    case LinkKind::break_it: {
      const auto& broken = session.request().broken;
      session.set_broken(link.target, std::ranges::find(broken, link.target) == broken.end());
      break;
    }
    case LinkKind::exercise:
      if (context.workshop != nullptr) context.workshop->open(session, link.target);
      break;
    case LinkKind::steps:
      context.view.steps_shown = true;
      break;
    case LinkKind::sheet:
      context.view.sheet = link.target;
      context.view.tab = "sheets";
      break;
    case LinkKind::source:
      if (const auto page = source_page_named(link.target)) context.view.source_page = page;
      break;
    case LinkKind::heading:
      context.view.lesson_anchor = link.target;
      break;
    case LinkKind::answer:
      open_answers_[lab_].insert(link.target);
      answers_changed_ = true;
      break;
    case LinkKind::external:
      open_address(link.target);
      break;
  }
}

}  // namespace tilescope
