// Clocks and driver version from NVML (libnvidia-ml.so.1), which is loaded at run time. Without it they are unknown,
// and nothing else changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tilescope {

class Nvml {
 public:
  /// Null if the library or the GPU is missing. `pci_bus_id` as cuDeviceGetPCIBusId gives it: NVML numbers GPUs
  /// differently from CUDA.
  static std::unique_ptr<Nvml> open(const std::string& pci_bus_id);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  uint32_t sm_clock_mhz() const { return clock(1); }      // now; 0 if it cannot be read
  uint32_t memory_clock_mhz() const { return clock(2); }  // now; 0 if it cannot be read
  /// Whether the board's power limit, its supply or its temperature limits the SM clock now. False if unknown.
  bool clock_is_capped() const;
  const std::string& driver_version() const { return driver_version_; }

 private:
  Nvml() = default;
  uint32_t clock(unsigned int type) const;

  void* library_ = nullptr;
  void* device_ = nullptr;
  int (*get_clock_)(void* device, unsigned int type, unsigned int* megahertz) = nullptr;
  int (*get_reasons_)(void* device, unsigned long long* reasons) = nullptr;  // absent in old drivers
  int (*shutdown_)() = nullptr;
  std::string driver_version_;
};

}  // namespace tilescope
