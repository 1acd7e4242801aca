#include "engine/result.hpp"

#include <array>

namespace tilescope {
namespace {

struct Diagnostic {
  std::string_view id, message, hint;
};

constexpr auto kDiagnostics = std::to_array<Diagnostic>({
#define DIAGNOSTIC(name, id, message, hint) {id, message, hint},
#include "engine/diagnostics.def"
#undef DIAGNOSTIC
});

const Diagnostic& diagnostic(ErrorId id) { return kDiagnostics[static_cast<size_t>(id)]; }

}  // namespace

std::string_view id_of(ErrorId id) { return diagnostic(id).id; }
std::string_view message_of(ErrorId id) { return diagnostic(id).message; }
std::string_view hint_of(ErrorId id) { return diagnostic(id).hint; }

Error make_error(ErrorId id, std::vector<Phrase> places, Phrase hint) {
  Phrase what(std::string(message_of(id)), std::move(places));
  std::string message = what.english(), advice = hint.english();
  return Error{id, std::move(message), std::move(advice), std::move(what), std::move(hint)};
}

}  // namespace tilescope
