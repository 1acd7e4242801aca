#include "engine/reference/reference.hpp"

namespace tilescope {

std::string Reference::missing(const std::string& /*implementation*/, const std::stop_token& /*stop*/) { return {}; }
void Reference::release(const std::stop_token& /*stop*/) {}
void Reference::note_versions(SpeedReport& /*report*/) const {}

Reference* OpenReferences::find(const std::string& implementation) {
  const ReferenceRegistration* registration = find_reference(implementation);
  if (registration == nullptr) return nullptr;
  for (const auto& [of, reference] : open_)
    if (of == registration) return reference.get();
  return open_.emplace_back(registration, registration->make(folders_)).second.get();
}

std::string OpenReferences::missing(const std::string& implementation, const std::stop_token& stop) {
  Reference* reference = find(implementation);
  if (reference == nullptr)
    return make_error(ErrorId::reference_unavailable, implementation, "no reference has this name").message;
  return reference->missing(implementation, stop);
}

Result<PreparedReference> OpenReferences::prepare(const ReferenceTask& task, const std::stop_token& stop) {
  return find(task.implementation)->prepare(task, stop);
}

void OpenReferences::release(const std::stop_token& stop) {
  for (const auto& [registration, reference] : open_) reference->release(stop);
}

void OpenReferences::note_versions(SpeedReport& report) const {
  for (const auto& [registration, reference] : open_) reference->note_versions(report);
}

}  // namespace tilescope
