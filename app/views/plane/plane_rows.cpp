#include "app/views/plane/plane_rows.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/observed/online_softmax.hpp"

namespace tilescope {
namespace {

/// With more products than this a row is computed on a thread: some milliseconds.
constexpr double kMostProductsInAFrame = 1 << 18;
constexpr int64_t kStoredSteps = 512;  // maximum for a stored row

const HostBuffer* contents(const PlanePicture& picture, int32_t buffer) {
  if (buffer < 0 || static_cast<size_t>(buffer) >= picture.result->buffers.size()) return nullptr;
  return picture.result->buffers[static_cast<size_t>(buffer)].get();
}

/// Per key the score, then m, l and the factor that rescales the earlier part.
std::optional<SoftmaxTrace> noted_trace(const PlanePicture& picture, int64_t row) {
  const HostBuffer* noted = contents(picture, picture.trace);
  const std::optional<int64_t> its_row = noted_row(picture);
  if (noted == nullptr || its_row != row || !picture.spec.visible) return {};
  const int64_t visible = picture.spec.visible(picture.result->config, row % picture.extents.queries);
  if (noted->count() < static_cast<size_t>(visible) * 4) return {};
  SoftmaxTrace trace{SoftmaxTrace::Source::buffer, row, {}};
  for (int64_t key = 0; key < visible; ++key) {
    const auto at = static_cast<size_t>(key) * 4;
    const double rescale = value_at(*noted, at + 3);
    trace.steps.push_back({key, key + 1, value_at(*noted, at), value_at(*noted, at + 1), value_at(*noted, at + 2),
                           rescale, key > 0 && rescale < 1});
  }
  return trace;
}

std::optional<SoftmaxTrace> stored_trace(const PlanePicture& picture, int64_t row) {
  const HostBuffer* scores = contents(picture, picture.scores);
  const int64_t keys = picture.extents.keys;
  if (scores == nullptr || scores->count() < static_cast<size_t>((row + 1) * keys)) return {};
  const int64_t width = std::max<int64_t>((keys + kStoredSteps - 1) / kStoredSteps, 1);
  SoftmaxTrace trace{SoftmaxTrace::Source::stored, row, {}};
  for (int64_t first = 0; first < keys; first += width) {
    SoftmaxStep step{.first_key = first, .end_key = std::min(first + width, keys)};
    step.largest = -HUGE_VAL;
    for (int64_t key = step.first_key; key < step.end_key; ++key) {
      step.largest = std::max(step.largest, value_at(*scores, static_cast<size_t>(row * keys + key)));
      step.l += value_at(*scores, static_cast<size_t>(row * keys + key));
    }
    trace.steps.push_back(step);
  }
  return trace;
}

}  // namespace

std::optional<int64_t> noted_row(const PlanePicture& picture) {
  if (picture.trace < 0 || !picture.spec.traced_row) return {};
  return picture.spec.traced_row(picture.result->config);
}

std::optional<SoftmaxTrace> left_trace(const PlanePicture& picture, int64_t row) {
  if (picture.stores_scores()) return stored_trace(picture, row);
  return noted_trace(picture, row);
}

std::optional<RowInputs> inputs_of(const PlanePicture& picture, const KeyWalk& walk, int64_t row) {
  const auto shared = [&](int32_t buffer) -> std::shared_ptr<const HostBuffer> {
    return contents(picture, buffer) == nullptr ? nullptr : picture.result->buffers[static_cast<size_t>(buffer)];
  };
  RowInputs inputs{.q = shared(picture.q), .k = shared(picture.k), .extents = picture.extents, .row = row};
  const PlaneExtents& all = picture.extents;
  if (!inputs.q || !inputs.k || row < 0 || row >= all.heads * all.queries) return {};
  if (inputs.q->count() < static_cast<size_t>(all.heads * all.queries * all.depth) ||
      inputs.k->count() < static_cast<size_t>(all.kv_heads * all.keys * all.depth))
    return {};
  const Config& config = picture.result->config;
  inputs.visible = picture.spec.visible ? picture.spec.visible(config, row % all.queries) : all.keys;
  inputs.scale =
      picture.spec.scale ? picture.spec.scale(config) : 1 / std::sqrt(static_cast<double>(picture.extents.depth));
  for (const WalkStep& step : walk.steps) inputs.steps.push_back({step.first_key, step.end_key});
  return inputs;
}

SoftmaxTrace trace_of(const RowInputs& inputs) {
  const auto depth = static_cast<size_t>(inputs.extents.depth);
  const int64_t head = inputs.row / inputs.extents.queries;
  std::vector<double> query(depth);
  for (size_t d = 0; d < depth; ++d)
    query[d] = inputs.scale * value_at(*inputs.q, static_cast<size_t>(inputs.row) * depth + d);
  const auto first_key = static_cast<size_t>(inputs.extents.kv_head_of(head) * inputs.extents.keys);
  const auto score_of = [&](int64_t key) {
    const size_t from = (first_key + static_cast<size_t>(key)) * depth;
    double score = 0;
    for (size_t d = 0; d < depth; ++d) score += query[d] * value_at(*inputs.k, from + d);
    return score;
  };
  SoftmaxTrace trace{SoftmaxTrace::Source::inputs, inputs.row, {}};
  OnlineSoftmax state;
  std::vector<double> scores;
  for (const ElementRange& keys : inputs.steps) {
    SoftmaxStep step{.first_key = keys.begin, .end_key = std::max(keys.begin, std::min(keys.end, inputs.visible))};
    scores.clear();
    for (int64_t key = step.first_key; key < step.end_key; ++key) scores.push_back(score_of(key));
    state.add(scores);
    step.largest = state.largest;
    step.m = state.m;
    step.l = state.l;
    step.rescale = state.rescale;
    step.raised = state.raised;
    trace.steps.push_back(step);
  }
  return trace;
}

std::vector<size_t> rows_worth_seeing(const SoftmaxTrace& trace, size_t newest, size_t count) {
  std::vector<size_t> rows;
  if (trace.steps.empty() || count == 0) return rows;
  newest = std::min(newest, trace.steps.size() - 1);
  const auto has = [&](size_t row) { return std::find(rows.begin(), rows.end(), row) != rows.end(); };
  // The newest three, then rescalings from newest to oldest, then the remaining ones.
  for (size_t back = 0; back < 3 && back <= newest && rows.size() < count; ++back) rows.push_back(newest - back);
  for (size_t row = newest + 1; row-- > 0 && rows.size() < count;)
    if (trace.steps[row].raised && !has(row)) rows.push_back(row);
  for (size_t row = newest + 1; row-- > 0 && rows.size() < count;)
    if (!has(row)) rows.push_back(row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

const SoftmaxTrace* RowTraces::take(const PlanePicture& picture, const KeyWalk& walk, int64_t row) {
  if (pending_.valid() && pending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    trace_ = pending_.get();
    held_ = asked_;
  }
  const Key wanted{picture.generation, walk.block, row};
  if (held_ == wanted) return trace_ ? &*trace_ : nullptr;
  if (pending_.valid()) return nullptr;  // one at a time; the wanted row is computed next
  asked_ = wanted;
  if (auto left = left_trace(picture, row)) {
    trace_ = std::move(left);
    held_ = asked_;
    return &*trace_;
  }
  auto inputs = inputs_of(picture, walk, row);
  if (!inputs || inputs->products() <= kMostProductsInAFrame) {
    trace_ = inputs ? std::optional(trace_of(*inputs)) : std::nullopt;
    held_ = asked_;
    return trace_ ? &*trace_ : nullptr;
  }
  pending_ = std::async(std::launch::async, [of = std::move(*inputs)] { return trace_of(of); });
  return nullptr;
}

}  // namespace tilescope
