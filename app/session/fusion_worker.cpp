#include "app/session/fusion_worker.hpp"

#include <utility>

namespace tilescope {

FusionWorker::FusionWorker(const std::filesystem::path& root)
    // A separate engine, opened with the first wish, so that runs can continue.
    : NewestWish([root, engine = std::shared_ptr<Engine>()](const FusionWish& wish,
                                                            const std::stop_token& stop) mutable -> Outcome {
        if (!engine) engine = Engine::open({.root = root, .cache_folder = {}, .simulator_threads = 1});
        auto account = account_fusion(*engine, *wish.lab, wish.config, wish.gpu, stop);
        if (!account) return tl::unexpected<Error>(account.error());
        return std::make_shared<const FusionAccount>(std::move(*account));
      }) {}

}  // namespace tilescope
