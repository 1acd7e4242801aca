// A thread that produces what is wanted now: the newest wish wins, work for an older one is stopped, and the last
// product is kept.
//
//     struct RecordWorker : NewestWish<Wish, Record> {
//       RecordWorker() : NewestWish([](const Wish& wish, const std::stop_token& stop) { return make(wish, stop); }) {}
//     };
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "engine/result.hpp"

namespace tilescope {

template <class Wish, class Product>
class NewestWish {
 public:
  using Outcome = Result<std::shared_ptr<const Product>>;
  /// Called on the thread, for one wish at a time.
  using Make = std::function<Outcome(const Wish& wish, const std::stop_token& stop)>;

  explicit NewestWish(Make make)
      : make_(std::move(make)), thread_([this](const std::stop_token& ending) { work(ending); }) {}
  ~NewestWish() { forget(); }
  NewestWish(const NewestWish&) = delete;
  NewestWish& operator=(const NewestWish&) = delete;

  /// `wake` is called on the thread when a product is ready.
  void set_wake(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }

  /// Call in every frame that shows the product; the same wish is started at most once.
  void want(const Wish& wish) {
    std::optional<std::stop_source> overtaken;
    {
      const std::lock_guard lock(mutex_);
      if (wanted_ && *wanted_ == wish) return;
      wanted_ = waiting_ = wish;
      if (in_flight_) overtaken = stop_;
    }
    if (overtaken) overtaken->request_stop();  // outside the lock: it calls the stop callbacks
    changed_.notify_one();
  }

  /// Stops the work in flight; the wish then ends with the error `cancelled`.
  void cancel() {
    std::optional<std::stop_source> stopped;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_) {  // it never starts, so it ends here
        done_ = std::exchange(waiting_, std::nullopt);
        outcome_ = fail(ErrorId::cancelled);
      }
      if (in_flight_) stopped = stop_;
    }
    if (stopped) stopped->request_stop();
  }

  /// The product is no longer shown: stops the wish in flight and frees the product.
  void forget() {
    std::optional<std::stop_source> stopped;
    {
      const std::lock_guard lock(mutex_);
      wanted_.reset();
      waiting_.reset();
      done_.reset();
      outcome_ = nullptr;
      if (in_flight_) stopped = stop_;
    }
    if (stopped) stopped->request_stop();
  }

  bool busy() const {
    const std::lock_guard lock(mutex_);
    return waiting_ || (in_flight_ && wanted_ && !stop_.stop_requested());
  }

  /// The waiting wish, else the one in flight, if any.
  std::optional<Wish> current() const {
    const std::lock_guard lock(mutex_);
    return waiting_ ? waiting_ : in_flight_;
  }

  /// Returns the newest wish and its outcome once: afterwards nothing is wanted and nothing is kept.
  std::optional<std::pair<Wish, Outcome>> take() {
    const std::lock_guard lock(mutex_);
    if (!done_) return {};
    std::pair<Wish, Outcome> taken{std::move(*done_), std::exchange(outcome_, nullptr)};
    done_.reset();
    wanted_.reset();
    return taken;
  }

  /// Calls the function given to set_wake.
  void wake() {
    const std::lock_guard lock(mutex_);
    if (wake_) wake_();
  }

  /// The product for this wish, if it was the last one; else null.
  std::shared_ptr<const Product> product(const Wish& wish) const {
    const std::lock_guard lock(mutex_);
    return done_ && *done_ == wish && outcome_ ? *outcome_ : nullptr;
  }

  /// Why there is no product for this wish.
  std::optional<Error> error(const Wish& wish) const {
    const std::lock_guard lock(mutex_);
    if (!done_ || !(*done_ == wish) || outcome_) return {};
    return outcome_.error();
  }

 private:
  void work(const std::stop_token& ending) {
    const std::stop_callback on_end(ending, [this] { forget(); });
    while (!ending.stop_requested()) {
      Wish wish;
      std::stop_token stop;
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, ending, [this] { return waiting_.has_value(); })) return;
        wish = *waiting_;
        in_flight_ = std::move(waiting_);
        waiting_.reset();
        stop_ = std::stop_source();
        stop = stop_.get_token();
      }
      Outcome outcome = nullptr;
      // Every failure ends as a sentence in the window, never as the end of the program.
      try {
        outcome = make_(wish, stop);
      } catch (const std::exception& error) {
        outcome = fail(ErrorId::run_broke_off, error.what());
      }
      const std::lock_guard lock(mutex_);
      in_flight_.reset();
      if (wanted_ && *wanted_ == wish) {
        done_ = std::move(wish);
        outcome_ = std::move(outcome);
      }
      if (wake_) wake_();
    }
  }

  Make make_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Wish> wanted_;   // the newest; kept while its product is shown
  std::optional<Wish> waiting_;  // not started yet
  std::optional<Wish> in_flight_;
  std::stop_source stop_;
  std::optional<Wish> done_;
  Outcome outcome_ = nullptr;
  std::function<void()> wake_;
  std::jthread thread_;  // declared last: ends before the members that it uses
};

}  // namespace tilescope
