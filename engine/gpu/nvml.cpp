#include "engine/gpu/nvml.hpp"

#include <dlfcn.h>

namespace tilescope {
namespace {

template <class Function>
bool resolve(void* library, const char* symbol, Function*& entry) {
  entry = reinterpret_cast<Function*>(dlsym(library, symbol));
  return entry != nullptr;
}

}  // namespace

std::unique_ptr<Nvml> Nvml::open(const std::string& pci_bus_id) {
  std::unique_ptr<Nvml> nvml(new Nvml);
  nvml->library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!nvml->library_) return nullptr;
  int (*init)() = nullptr;
  int (*get_handle)(const char* bus, void** device) = nullptr;
  int (*get_version)(char* text, unsigned int length) = nullptr;
  int (*shutdown)() = nullptr;
  if (!resolve(nvml->library_, "nvmlInit_v2", init) || !resolve(nvml->library_, "nvmlShutdown", shutdown) ||
      !resolve(nvml->library_, "nvmlDeviceGetHandleByPciBusId_v2", get_handle) ||
      !resolve(nvml->library_, "nvmlSystemGetDriverVersion", get_version) ||
      !resolve(nvml->library_, "nvmlDeviceGetClockInfo", nvml->get_clock_) || init() != 0) {
    return nullptr;
  }
  nvml->shutdown_ = shutdown;  // only once init has succeeded
  resolve(nvml->library_, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml->get_reasons_);
  if (get_handle(pci_bus_id.c_str(), &nvml->device_) != 0) return nullptr;
  char version[96] = "";
  if (get_version(version, sizeof version) == 0) nvml->driver_version_ = version;
  return nvml;
}

Nvml::~Nvml() {
  if (shutdown_) shutdown_();
  if (library_) dlclose(library_);
}

uint32_t Nvml::clock(unsigned int type) const {
  unsigned int megahertz = 0;
  return get_clock_(device_, type, &megahertz) == 0 ? megahertz : 0;
}

bool Nvml::clock_is_capped() const {
  // nvmlClocksEventReason...: software power cap, hardware slowdown, software and hardware thermal slowdown, power
  // brake.
  constexpr unsigned long long kCaps = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;
  unsigned long long reasons = 0;
  return get_reasons_ && get_reasons_(device_, &reasons) == 0 && (reasons & kCaps) != 0;
}

}  // namespace tilescope
