// A text that can be translated: an English form with placeholders, and the values that fill them.
//
//   const Phrase why = phrase("{} of {} blocks were executed", 4, 1024);
//   why.english()     "4 of 1024 blocks were executed": JSON, the command line, logs
//   why.form()        "{} of {} blocks were executed": the key in a translation table
//
// A placeholder holds a phrase or a name. A literal is a phrase and is translated: phrase("at most {}", "a whole
// number"). The value of a variable is a name and is the same in every language: a kernel called "read" stays "read",
// though the table has that word. Translations are in assets/strings; a test checks that every form and every literal
// of the sources is there.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilescope {

class Phrase {
 public:
  Phrase() = default;
  /// A name, a number, or a message of a tool or library: never translated.
  Phrase(std::string name) : form_(std::move(name)), is_name_(true) {}  // NOLINT(google-explicit-constructor)
  explicit Phrase(std::string_view name) : Phrase(std::string(name)) {}
  /// A literal without placeholders. Explicit, so that each one appears in a call by which a test finds it.
  explicit Phrase(const char* text) : form_(text) {}
  Phrase(std::string form, std::vector<Phrase> places) : form_(std::move(form)), places_(std::move(places)) {}
  /// A translatable text without placeholders that is not a literal here: a row of diagnostics.def, a finding's id.
  static Phrase translatable(std::string_view text) { return {std::string(text), {}}; }

  bool empty() const { return form_.empty(); }
  /// The English text, with {} for each placeholder.
  const std::string& form() const { return form_; }
  const std::vector<Phrase>& places() const { return places_; }
  /// A name, the same in every language.
  bool is_name() const { return is_name_; }
  std::string english() const;

  bool operator==(const Phrase&) const = default;
  template <class T>
  requires(std::convertible_to<T, std::string_view>) friend bool operator==(const Phrase& phrase, const T& english) {
    return phrase.english() == std::string_view(english);
  }

 private:
  std::string form_;
  std::vector<Phrase> places_;
  bool is_name_ = false;
};

std::ostream& operator<<(std::ostream& stream, const Phrase& phrase);

/// The form with its placeholders filled; returned unchanged if it has more of them than `places`.
std::string filled(std::string_view form, const std::vector<std::string>& places);

/// The content of a placeholder: a phrase, also from a literal, or a name as fmt formats the value.
template <class T>
Phrase as_place(const T& value) {
  if constexpr (std::same_as<T, Phrase> || std::is_array_v<T>)
    return Phrase(value);
  else
    return Phrase(fmt::format("{}", value));
}

/// Placeholders are {} without a format; pass values that need one as text. Checked at compile time.
template <class... Args>
Phrase phrase(fmt::format_string<std::conditional_t<true, const std::string&, const Args&>...> form,
              const Args&... args) {
  const auto text = fmt::string_view(form);
  return {std::string(text.data(), text.size()), {as_place(args)...}};
}

}  // namespace tilescope

/// Formats in English, for texts of the command line and of logs.
template <>
struct fmt::formatter<tilescope::Phrase> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const tilescope::Phrase& phrase, Context& context) const {
    return fmt::formatter<std::string>::format(phrase.english(), context);
  }
};
