#include "engine/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tilescope {

void parallel_for(size_t count, size_t piece, const std::function<void(size_t begin, size_t end)>& body) {
  const size_t pieces = (count + piece - 1) / piece;
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t p = next++; p < pieces; p = next++) body(p * piece, std::min(count, (p + 1) * piece));
  };
  const size_t threads = std::min<size_t>(pieces, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> helpers;
  for (size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
}

}  // namespace tilescope
