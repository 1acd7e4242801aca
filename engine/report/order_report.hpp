// The block-order model as JSON and as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/order_result.hpp"

namespace tilescope {

/// Adds the model's values to `counters`, and the whole model as `block_order`, to a run's report.
void add_order(const OrderModel& order, nlohmann::json& run);
/// The model's conclusion in one sentence; with `all` also a row for each order.
std::string order_text(const OrderModel& order, bool all);

}  // namespace tilescope
