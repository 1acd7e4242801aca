// The block-order model as JSON and as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/order_result.hpp"

namespace tilescope {

/// Adds the model's figures to `counters`, and all of it as `block_order`, to a run's report.
void add_order(const OrderModel& order, nlohmann::json& run);
/// What is said of it: one sentence, and with `all` a row for each order.
std::string order_text(const OrderModel& order, bool all);

}  // namespace tilescope
