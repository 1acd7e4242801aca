// Errors as values.
//
// Every function that can fail returns Result<T>. An Error has an id (stable, for scripts and tests), one sentence that
// says what is wrong, and a hint that says what to do next. All ids and texts are listed in diagnostics.def. The texts
// are also kept as phrases, so that they can be translated.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <tuple>
#include <utility>

#include "engine/phrase.hpp"

namespace tilescope {

enum class ErrorId {
#define DIAGNOSTIC(name, id, message, hint) name,
#include "engine/diagnostics.def"
#undef DIAGNOSTIC
};

constexpr size_t kErrorCount = 0
#define DIAGNOSTIC(name, id, message, hint) +1
#include "engine/diagnostics.def"
#undef DIAGNOSTIC
    ;

struct Error {
  ErrorId id;
  std::string message;  // in English, one sentence: what is wrong, with the offending value
  std::string hint;     // in English: what to do next; may be empty
  Phrase what = {};     // the message with its form and placeholders; empty if only its text is known
  Phrase advice = {};   // the hint, likewise
};

template <class T>
using Result = tl::expected<T, Error>;

/// The stable name of an error, for example "kernel-not-found".
std::string_view id_of(ErrorId id);
/// The fmt templates of diagnostics.def.
std::string_view message_of(ErrorId id);
std::string_view hint_of(ErrorId id);

/// An Error with the placeholders of its message filled.
Error make_error(ErrorId id, std::vector<Phrase> places, Phrase hint);

/// The same with the hint of diagnostics.def. An argument is a phrase, a literal, or a value: a name or a number
/// (engine/phrase.hpp).
template <class... Args>
requires(!std::same_as<std::tuple<Args...>, std::tuple<std::vector<Phrase>, Phrase>>) Error
    make_error(ErrorId id, const Args&... args) {
  return make_error(id, std::vector<Phrase>{as_place(args)...}, Phrase::translatable(hint_of(id)));
}

/// make_error wrapped for `return fail(ErrorId::kernel_not_found, name, file);`
template <class... Args>
tl::unexpected<Error> fail(ErrorId id, const Args&... args) {
  return tl::unexpected<Error>(make_error(id, args...));
}

/// The error of a result of any type, for `if (!plan) return forward(plan);`
template <class T>
tl::unexpected<Error> forward(const Result<T>& failed) {
  return tl::unexpected<Error>(failed.error());
}

}  // namespace tilescope
