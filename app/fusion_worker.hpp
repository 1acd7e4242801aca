// The thread that counts what fusing saves: the newest wish wins, and what it counted last is kept.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/bench/fusion.hpp"

namespace tilescope {

struct FusionWish {
  const Lab* lab = nullptr;  // of the registry
  Config config;
  std::string gpu;
  bool operator==(const FusionWish&) const = default;
};

class FusionWorker {
 public:
  explicit FusionWorker(std::filesystem::path root);
  ~FusionWorker();

  void set_wake(std::function<void()> wake);
  /// Called in every frame in which the account is shown; counts at most once for the same wish.
  void want(const FusionWish& wish);
  bool busy() const;
  /// The account of the last wish; null until it is there.
  std::shared_ptr<const FusionAccount> account(const FusionWish& wish) const;
  /// Why there is none.
  std::optional<Error> error(const FusionWish& wish) const;

 private:
  using Outcome = Result<std::shared_ptr<const FusionAccount>>;
  void work(const std::stop_token& ending);
  void give_up();

  std::filesystem::path root_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<FusionWish> wanted_, waiting_, under_way_, done_;
  std::stop_source stop_;
  Outcome outcome_ = nullptr;
  std::function<void()> wake_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace tilescope
