// The form of a user's own kernel, where a lab has its ladder and sliders.
//
//     Kernel                        as the source suggests
//     [scale                      ▾]
//     n ───●────────────── 65,536
//     grid, blocks                                  256
//     [ceil(n/block.x)  ] [1] [1]
//     …
//     const float* x                            input ▾
//     [f32 ▾] [n     = 65,536 ] [normal            ] ▾
#include <algorithm>
#include <array>
#include <cmath>

#include "app/panels/controls/sandbox_fields.hpp"

namespace tilescope {
namespace {

constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};
constexpr float kGap = 6, kLabel = 22;

void label(Column& column, std::string_view text) {
  column.text(column.fonts().small, column.left, 15, column.theme().muted,
              fit_text(column.fonts().small, text, column.width()));
}

void heading(Column& column, const char* key) {
  column.text(column.fonts().body_semibold, column.left, 28, column.theme().text, column.context.strings(key));
  column.y += column.px(38);
}

/// "as the source suggests", right of the heading, if something was changed.
void reset_button(Column& column, Sandbox& sandbox) {
  if (sandbox.form().edits.empty()) return;
  ImFont* font = column.fonts().small;
  const std::string& text = column.context.strings("sandbox.reset");
  const float width = text_size(font, text).x;
  const ImVec2 low{column.right - width, column.y + column.px(12)}, high{column.right, column.y + column.px(34)};
  ImGui::SetCursorScreenPos(low);
  if (hit_area("reset form", {width, high.y - low.y})) sandbox.reset_form();
  const bool hovered = ImGui::IsItemHovered();
  mark(column.context, "sandbox.reset", low, high);
  explain(column.context, column.context.strings("sandbox.reset_meaning"));
  column.text_right(font, column.right, 28, hovered ? column.theme().text : column.theme().muted, text);
}

/// Problems of the file itself; a change on disk beside unsaved edits is reported in the source (source_conflict.cpp).
void file_notes(Column& column, const Sandbox& sandbox) {
  std::string text;
  if (sandbox.problem())
    text = column.context.strings.format("sandbox.file_gone", fmt::arg("file", sandbox.file().filename().string()),
                                         fmt::arg("reason", column.context.strings.message(*sandbox.problem())));
  if (text.empty()) return;
  const TextRun run[] = {{column.fonts().small, column.theme().error, text}};
  const float top = column.y;
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(18), run);
  mark(column.context, "sandbox.note", {column.left, top}, {column.right, column.y});
  column.y += column.px(8);
}

/// The launch in the file that the form was read from; a click goes to its line.
void launch_note(Column& column, const KernelForm& form) {
  if (form.launches == 0) return;
  const Strings& strings = column.context.strings;
  const std::string place = place_of_origin(strings, form.launch);
  std::string text = strings.format("sandbox.launch_from", fmt::arg("place", place));
  if (form.launches > 1)
    text += (strings.language == Language::en ? " " : "") +
            strings.format("sandbox.launch_first", fmt::arg("count", form.launches));
  if (form.host_n > 0 && !form.is_edited("n"))
    text += (strings.language == Language::en ? " " : "") +
            strings.format("sandbox.n_smaller", fmt::arg("value", with_separators(form.host_n)));
  const TextRun run[] = {{column.fonts().small, column.theme().muted, text}};
  const float top = column.y;
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(18), run);
  const ImVec2 low{column.left, top}, high{column.right, column.y};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area("launch note", {high.x - low.x, high.y - low.y});
  if (pressed && form.launch.line > 0) column.context.view.selection.line = form.launch.line;
  explain(column.context, strings("sandbox.launch_meaning"));
  mark(column.context, "sandbox.launch", low, high);
  column.y += column.px(kGap);
}

void kernel_fields(Column& column, FormFields& fields, Sandbox& sandbox) {
  const Strings& text = column.context.strings;
  column.text(column.fonts().body_semibold, column.left, 28, column.theme().text, text("sandbox.kernel"));
  reset_button(column, sandbox);
  column.y += column.px(40);
  file_notes(column, sandbox);
  std::vector<Choice> kernels;
  for (const SourceKernel& kernel : sandbox.facts().kernels)
    kernels.push_back({kernel.name, kernel.name + (kernel.templated.empty() ? "" : "<…>")});
  if (kernels.empty()) kernels.push_back({sandbox.kernel(), sandbox.kernel()});
  fields.choice("kernel", column.left, column.width(), text("sandbox.kernel_meaning"), kernels);
  column.y += column.px(kFieldHeight);
  fields.problems(std::array<std::string, 1>{"kernel"});
  column.y += column.px(kGap);
  launch_note(column, sandbox.form());
  if (!sandbox.form().is_template) return;
  label(column, text("sandbox.template"));
  column.y += column.px(kLabel);
  std::vector<Choice> arguments;
  for (const std::string& one : sandbox.form().instantiations) {
    const size_t open = one.find('<');
    if (open != std::string::npos && one.ends_with('>'))
      arguments.push_back({one.substr(open + 1, one.size() - open - 2), one});
  }
  const std::string meaning = text("sandbox.template_meaning");
  if (arguments.empty())
    fields.text("template", column.left, column.width(), meaning);
  else
    fields.text_with_choices("template", column.left, column.width(), meaning, arguments);
  column.y += column.px(kFieldHeight);
  fields.problems(std::array<std::string, 1>{"template"});
  column.y += column.px(kGap);
}

std::string extent_text(const Dim3& extent) {
  std::string text = with_separators(extent.x);
  if (extent.y > 1 || extent.z > 1) text += " × " + with_separators(extent.y);
  if (extent.z > 1) text += " × " + with_separators(extent.z);
  return text;
}

/// Three fields in a row: those with long texts get more space.
void extent_fields(Column& column, FormFields& fields, const std::string& object, const std::string& title,
                   const std::string& value, const std::string& meaning) {
  ImFont* font = column.fonts().small;
  label(column, title);
  column.text_right(font, column.right, 15, column.theme().muted, value);
  column.y += column.px(kLabel);
  const float gap = column.px(4), room = column.width() - 2 * gap, least = column.px(36);
  std::array<float, 3> wanted{};
  float all = 0;
  for (size_t i = 0; i < 3; ++i) {
    wanted[i] = std::max(least, text_size(font, fields.value(object + "." + kAxes[i])).x + column.px(18));
    all += wanted[i];
  }
  // Spare width goes to the first field; if they do not fit, each shrinks in proportion to its width above the minimum.
  if (all <= room) {
    wanted[0] += room - all;
  } else {
    const float above = all - 3 * least;
    for (float& width : wanted) width = least + (width - least) * (room - 3 * least) / above;
  }
  float x = column.left;
  for (size_t i = 0; i < 3; ++i) {
    const float width = i == 2 ? column.right - x : std::round(wanted[i]);
    fields.text(object + "." + kAxes[i], x, width, meaning);
    x += width + gap;
  }
  column.y += column.px(kFieldHeight);
  fields.problems(std::array{object + ".x", object + ".y", object + ".z"});
  column.y += column.px(kGap);
}

/// A title at the left, a field at the right.
void short_field(Column& column, FormFields& fields, const std::string& field, const std::string& title,
                 const std::string& meaning) {
  ImFont* font = column.fonts().small;
  const float width = column.px(128), middle = column.y + column.px(kFieldHeight) / 2;
  draw_text(column.list, font, {column.left, centred_top(font, middle)}, column.theme().muted,
            fit_text(font, title, column.width() - width - column.px(8)));
  explain_rect(column.context, {column.left, column.y}, {column.right - width, column.y + column.px(kFieldHeight)},
               title + "\n" + meaning);
  fields.text(field, column.right - width, width, meaning);
  column.y += column.px(kFieldHeight);
  fields.problems(std::array{field});
  column.y += column.px(kGap);
}

void launch_fields(Column& column, FormFields& fields, const Sandbox& sandbox) {
  const Strings& text = column.context.strings;
  const Launch& launch = sandbox.filled().launch;
  extent_fields(column, fields, "grid", text("sandbox.grid"), extent_text(launch.grid), text("sandbox.grid_meaning"));
  if (sandbox.form().language == KernelLanguage::triton) {
    short_field(column, fields, "num_warps", text("sandbox.num_warps"), text("sandbox.num_warps_meaning"));
    short_field(column, fields, "num_stages", text("sandbox.num_stages"), text("sandbox.num_stages_meaning"));
    short_field(column, fields, "target", text("sandbox.target"), text("sandbox.target_meaning"));
    label(column, text("sandbox.constexprs"));
    column.y += column.px(kLabel);
    fields.text("defines", column.left, column.width(), text("sandbox.constexprs_meaning"));
    column.y += column.px(kFieldHeight);
    fields.problems(std::array<std::string, 1>{"defines"});
    column.y += column.px(kGap);
    return;
  }
  extent_fields(column, fields, "block", text("sandbox.block"), extent_text(launch.block),
                text("sandbox.block_meaning"));
  short_field(column, fields, "shared", text("sandbox.shared"), text("sandbox.shared_meaning"));
}

std::vector<Choice> roles(const Strings& text) {
  std::vector<Choice> choices;
  for (const Role role : {Role::input, Role::output, Role::inout, Role::scratch}) {
    const std::string name(name_of(role));
    choices.push_back({name, text("sandbox.role_" + name)});
  }
  return choices;
}

std::vector<Choice> fills(const Strings& text) {
  std::vector<Choice> choices;
  for (const char* fill : {"zero", "ones", "iota", "normal", "uniform", "poison"})
    choices.push_back({fill, text(std::string("sandbox.fill_") + fill)});
  return choices;
}

void buffer_fields(Column& column, FormFields& fields, const ParameterType& parameter, const std::string& name) {
  const Strings& text = column.context.strings;
  ImFont* font = column.fonts().small;
  const std::vector<Choice> role_choices = roles(text), fill_choices = fills(text);
  const std::string role = name + ".role";
  column.text(font, column.left, 15, column.theme().text,
              fit_text(font, parameter.declared, column.width() - column.px(76)));
  explain_rect(column.context, {column.left, column.y}, {column.right - column.px(76), column.y + column.px(20)},
               parameter.declared);
  fields.quiet_choice(role, 15, text("sandbox.role_meaning"), role_choices);
  column.y += column.px(kLabel);
  std::vector<Choice> types;
  types.reserve(std::size(kElementTypes));
  for (const char* type : kElementTypes) types.push_back({type, type});
  const float type_width = column.px(56), fill_width = column.px(96), gap = column.px(4);
  const float shape = column.width() - type_width - fill_width - 2 * gap;
  fields.choice(name + ".type", column.left, type_width, text("sandbox.type_meaning"), types);
  fields.text(name + ".shape", column.left + type_width + gap, shape, text("sandbox.shape_meaning"));
  fields.text_with_choices(name + ".fill", column.right - fill_width, fill_width, text("sandbox.fill_meaning"),
                           fill_choices);
  column.y += column.px(kFieldHeight);
  fields.problems(std::array{name + ".type", name + ".shape", name + ".fill"});
  column.y += column.px(kGap + 2);
}

void argument_fields(Column& column, FormFields& fields, const ParameterType& parameter, const std::string& name) {
  const Strings& text = column.context.strings;
  switch (parameter.kind) {
    case ParameterType::Kind::pointer:
      return buffer_fields(column, fields, parameter, name);
    case ParameterType::Kind::scalar:
      return short_field(column, fields, name + ".value", parameter.declared, text("sandbox.value_meaning"));
    case ParameterType::Kind::structure:
      label(column, parameter.declared);
      column.y += column.px(kLabel);
      for (const ParameterType& member : parameter.members)
        argument_fields(column, fields, member, name + "." + member.name);
      return;
    case ParameterType::Kind::unknown:
      label(column, parameter.declared);
      column.y += column.px(kLabel);
      fields.text(name + ".spec", column.left, column.width(), text("sandbox.spec_meaning"));
      column.y += column.px(kFieldHeight);
      fields.problems(std::array{name + ".spec"});
      column.y += column.px(kGap);
  }
}

/// The module's variables: what the host would copy into them.
void variable_fields(Column& column, FormFields& fields, const Sandbox& sandbox) {
  if (sandbox.form().variables.empty()) return;
  const Strings& text = column.context.strings;
  const std::vector<Choice> fill_choices = fills(text);
  heading(column, "sandbox.variables");
  for (const FormVariable& variable : sandbox.form().variables) {
    label(column, variable.declared);
    column.y += column.px(kLabel);
    fields.text_with_choices("@" + variable.name, column.left, column.width(), text("sandbox.variable_meaning"),
                             fill_choices);
    column.y += column.px(kFieldHeight);
    fields.problems(std::array{"@" + variable.name});
    column.y += column.px(kGap);
  }
}

void compile_fields(Column& column, FormFields& fields) {
  const Strings& text = column.context.strings;
  short_field(column, fields, "defines", text("sandbox.defines"), text("sandbox.defines_meaning"));
  short_field(column, fields, "includes", text("sandbox.includes"), text("sandbox.includes_meaning"));
}

}  // namespace

void sandbox_section(Column& column, Sandbox& sandbox) {
  FormFields fields(column, sandbox);
  kernel_fields(column, fields, sandbox);
  sliders_section(column);
  launch_fields(column, fields, sandbox);
  heading(column, "sandbox.arguments");
  if (sandbox.form().parameters.empty()) {
    const TextRun none[] = {
        {column.fonts().small, column.theme().muted, column.context.strings("sandbox.no_arguments")}};
    column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(18), none) + column.px(kGap);
  }
  for (const ParameterType& parameter : sandbox.form().parameters)
    argument_fields(column, fields, parameter, parameter.name);
  variable_fields(column, fields, sandbox);
  column.y += column.px(4);
  if (sandbox.form().language == KernelLanguage::cuda) compile_fields(column, fields);
  column.y += column.px(4);
}

}  // namespace tilescope
