// The thread that computes what fusing saves.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/session/newest_wish.hpp"
#include "engine/bench/fusion.hpp"

namespace tilescope {

struct FusionWish {
  const Lab* lab = nullptr;  // in the registry
  Config config;
  std::string gpu;
  bool operator==(const FusionWish&) const = default;
};

class FusionWorker : public NewestWish<FusionWish, FusionAccount> {
 public:
  explicit FusionWorker(const std::filesystem::path& root);
  std::shared_ptr<const FusionAccount> account(const FusionWish& wish) const { return product(wish); }
};

}  // namespace tilescope
