// The fields of the Sandbox's form: texts and choices with their error messages below.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/panels/controls/controls_parts.hpp"
#include "app/sandbox/sandbox.hpp"

namespace tilescope {

constexpr float kFieldHeight = 26;  // unscaled pixels

struct Choice {
  std::string value, title;
};

class FormFields {
 public:
  FormFields(Column& column, Sandbox& sandbox) : column_(column), sandbox_(sandbox) {}

  /// A text in a rectangle whose top left corner is at x and the column's y; its evaluated value is shown inside,
  /// muted.
  void text(const std::string& field, float x, float width, const std::string& meaning);
  /// A text with a list of usual values behind a small arrow.
  void text_with_choices(const std::string& field, float x, float width, const std::string& meaning,
                         std::span<const Choice> choices);
  /// A choice from a list.
  void choice(const std::string& field, float x, float width, const std::string& meaning,
              std::span<const Choice> choices);
  /// A choice from a list, as words without a frame, right-aligned in the column.
  void quiet_choice(const std::string& field, float below, const std::string& meaning, std::span<const Choice> choices);
  /// The errors of these fields, one sentence per line; advances y.
  void problems(std::span<const std::string> fields);

  void set(const std::string& field, const std::string& value);
  const std::string& value(const std::string& field) const;

 private:
  const Problem* problem(const std::string& field) const;
  std::string with_origin(const std::string& meaning, const std::string& field) const;
  bool menu(const std::string& field, ImVec2 corner, float width, std::span<const Choice> choices);
  void frame(ImVec2 low, ImVec2 high, bool wrong, bool lit);

  Column& column_;
  Sandbox& sandbox_;
};

/// "main(), line 31".
std::string place_of_origin(const Strings& strings, const FieldOrigin& origin);
/// The origin of a field's text, in a sentence: the file and line, or the learner. Empty for fields that are never read
/// from the source.
std::string origin_text(const Strings& strings, const KernelForm& form, const std::string& field);

/// The form itself: kernel, n, launch, arguments, and the compiler's options.
void sandbox_section(Column& column, Sandbox& sandbox);
/// Statistics of the outputs; in a lab this place shows whether they are correct.
void outputs_card(Column& column);
/// The command line of the same run, for copying.
void command_card(Column& column);

}  // namespace tilescope
