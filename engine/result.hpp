// Errors as values.
//
// Every function that can fail returns Result<T>. An Error has an id (stable, for scripts and tests), one sentence
// saying what is wrong, and a hint saying what to do next. All ids and texts are listed in diagnostics.def.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace tilescope {

enum class ErrorId {
#define DIAGNOSTIC(name, id, message, hint) name,
#include "engine/diagnostics.def"
#undef DIAGNOSTIC
};

struct Error {
  ErrorId id;
  std::string message;  // one sentence: what is wrong, with the offending value
  std::string hint;     // what to do next; may be empty
};

template <class T>
using Result = tl::expected<T, Error>;

/// The stable name of an error, for example "kernel-not-found".
std::string_view id_of(ErrorId id);
/// The fmt templates of diagnostics.def.
std::string_view message_of(ErrorId id);
std::string_view hint_of(ErrorId id);

/// An Error with its message template filled in; the hint stays as diagnostics.def has it.
template <class... Args>
Error make_error(ErrorId id, const Args&... args) {
  return Error{id, fmt::format(fmt::runtime(message_of(id)), args...), std::string(hint_of(id))};
}

/// make_error wrapped for `return fail(ErrorId::kernel_not_found, name, file);`
template <class... Args>
tl::unexpected<Error> fail(ErrorId id, const Args&... args) {
  return tl::unexpected<Error>(make_error(id, args...));
}

}  // namespace tilescope
