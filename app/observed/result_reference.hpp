#pragma once

#include <memory>

namespace tilescope {

struct RunResult;  // engine/run_result.hpp

/// Refers to the result that something was derived from, without keeping it alive: results are large, and a hidden view
/// must not hold an old one. Dereference it only while the caller holds the result.
class ResultReference {
 public:
  ResultReference() = default;
  explicit ResultReference(const std::shared_ptr<const RunResult>& result) : owner_(result), result_(result.get()) {}
  bool is(const std::shared_ptr<const RunResult>& result) const {
    return result_ == result.get() && !owner_.owner_before(result) && !result.owner_before(owner_);
  }
  const RunResult* get() const { return result_; }
  const RunResult& operator*() const { return *result_; }
  const RunResult* operator->() const { return result_; }

 private:
  std::weak_ptr<const RunResult> owner_;
  const RunResult* result_ = nullptr;
};

}  // namespace tilescope
