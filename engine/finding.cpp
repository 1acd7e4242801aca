#include "engine/finding.hpp"

#include <algorithm>

namespace tilescope {
namespace {

std::string coordinates(Dim3 place) { return fmt::format("({},{},{})", place.x, place.y, place.z); }

}  // namespace

Phrase sentence_of(const Finding& finding) {
  std::string id = finding.id;
  std::replace(id.begin(), id.end(), '-', ' ');
  const Phrase words = Phrase::translatable(id);
  const std::string block = coordinates(finding.block), thread = coordinates(finding.thread);
  if (finding.other.empty())
    return phrase("{}: {}, {}, block {} thread {}", words, finding.what, finding.where, block, thread);
  return phrase("{}: {}, {}, block {} thread {}, and {}", words, finding.what, finding.where, block, thread,
                finding.other);
}

}  // namespace tilescope
