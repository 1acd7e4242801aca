#include "engine/traffic/access/shared_picture.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "engine/traffic/access/shared_banks.hpp"

namespace tilescope {
namespace {

/// The buffer element at an address; buffer −1 if there is none.
struct Origin {
  int32_t buffer = -1;
  int64_t element = -1;
};
Origin origin_of(const RunResult& result, uint64_t address) {
  const RegionOffset place = region_of(address);
  if (place.buffer < 0 || static_cast<size_t>(place.buffer) >= result.plan.buffers.size()) return {};
  const auto size = static_cast<int64_t>(size_of(result.plan.buffers[static_cast<size_t>(place.buffer)].type));
  return {static_cast<int32_t>(place.buffer), place.offset / size};
}

/// "wait_group 1" → 1; 0 for wait_all.
uint32_t groups_left(const std::string& text) {
  const size_t at = text.find("wait_group");
  if (at == std::string::npos) return 0;
  return static_cast<uint32_t>(std::strtoul(text.c_str() + at + std::string_view("wait_group").size(), nullptr, 10));
}

}  // namespace

/// Processes the steps once, then resolves what depends on all of them.
struct SharedPicture::Builder {
  SharedPicture& picture;
  const StepRecord& record;
  const RunResult& result;

  /// A batch of copies or stores of one buffer: the bytes that it fills.
  struct Hull {
    uint32_t first = 0xffffffff, end = 0;
  };
  using Batch = std::tuple<bool, int32_t, uint32_t>;  // asynchronous, buffer, number
  std::map<Batch, Hull> batches;
  std::vector<std::pair<uint32_t, Hull>> zero_copies;  // by number; no lane reads, so the buffer is unknown
  struct OfWarp {
    std::vector<uint32_t> accesses;                    // by sequence: index into the trace; kNone
    uint32_t committed = 0, barriers = 0;              // so far
    std::vector<std::pair<size_t, uint32_t>> pending;  // writes that have not arrived, with their group
  };
  std::vector<OfWarp> warps;

  void find_accesses() {
    warps.resize(record.warps);
    const auto& accesses = result.trace.accesses;
    const auto is_of_block = [&](const Access& access) {
      return access.block == record.block && result.trace.sites[access.site].launch == record.launch;
    };
    const auto first = std::find_if(accesses.begin(), accesses.end(), is_of_block);
    for (auto it = first; it != accesses.end() && is_of_block(*it); ++it) {
      if (it->warp >= warps.size()) continue;
      auto& list = warps[it->warp].accesses;
      if (list.size() <= it->sequence) list.resize(it->sequence + 1, SharedWord::kNone);
      list[it->sequence] = static_cast<uint32_t>(it - accesses.begin());
    }
  }

  const Access* access_at(uint32_t warp, uint32_t sequence) const {
    const auto& list = warps[warp].accesses;
    if (sequence >= list.size() || list[sequence] == SharedWord::kNone) return nullptr;
    return &result.trace.accesses[list[sequence]];
  }

  void take_steps() {
    for (uint32_t index = 0; index < record.steps.size(); ++index) {
      const Step& step = record.steps[index];
      const StepInstruction& instruction = record.instructions[step.instruction];
      if (instruction.text.find("cp.async.commit_group") != std::string::npos) {
        add_event(step, index, SharedEvent::Kind::commit);
        ++warps[step.warp].committed;
      } else if (instruction.text.find("cp.async.wait_") != std::string::npos) {
        add_event(step, index, SharedEvent::Kind::wait);
        settle(warps[step.warp], index, instruction.text);
      } else if (instruction.role == StepRole::barrier) {
        add_event(step, index, SharedEvent::Kind::barrier);
        ++warps[step.warp].barriers;
      } else if (instruction.text.find("mma.sync") != std::string::npos ||
                 instruction.text.find("fma.rn.f32") != std::string::npos) {
        add_event(step, index, SharedEvent::Kind::multiply);
      } else if (step.access != Step::kNone && step.executed != 0) {
        take_access(step, index);
      }
    }
  }

  SharedEvent& add_event(const Step& step, uint32_t index, SharedEvent::Kind kind) {
    picture.events_[step.warp].push_back({.kind = kind, .step = index});
    return picture.events_[step.warp].back();
  }

  /// All groups except those that the wait leaves pending have arrived; `wait_all` leaves none, and includes
  /// uncommitted copies.
  void settle(OfWarp& warp, uint32_t index, const std::string& text) {
    const bool all = text.find("wait_all") != std::string::npos;
    const uint32_t left = groups_left(text);
    std::erase_if(warp.pending, [&](const auto& write) {
      const bool arrived = all || write.second + left < warp.committed;
      if (arrived) picture.writes_[write.first].arrives = index;
      return arrived;
    });
  }

  void take_access(const Step& step, uint32_t index) {
    const Access* access = access_at(step.warp, step.access);
    if (access == nullptr) return;
    const Access* source = nullptr;
    const Site* site = &result.trace.sites[access->site];
    if (site->kind == AccessKind::async_copy && site->space == Space::global) {
      source = access;
      access = access_at(step.warp, step.access + 1);
      if (access == nullptr) return;
      site = &result.trace.sites[access->site];
    }
    if (site->space != Space::shared) return;
    const bool writes = site->kind != AccessKind::load;
    Touched touched{.lanes = access->mask, .bytes = site->is_matrix ? 16 : site->bytes_per_lane, .writes = writes};
    for (int lane = 0; lane < 32; ++lane)
      if ((access->mask >> lane & 1U) != 0)
        touched.first[static_cast<size_t>(lane)] =
            static_cast<uint32_t>(result.trace.address(*access, lane) - kSharedBase);
    touched.access = static_cast<uint32_t>(access - result.trace.accesses.data());
    picture.touched_of_step_[index] = static_cast<uint32_t>(picture.touched_.size());
    picture.touched_.push_back(touched);
    if (!writes) {
      add_event(step, index, SharedEvent::Kind::load);
      return;
    }
    const bool copy = site->kind == AccessKind::async_copy;
    SharedEvent& event = add_event(step, index, copy ? SharedEvent::Kind::copy : SharedEvent::Kind::store);
    OfWarp& warp = warps[step.warp];
    event.batch = copy ? warp.committed : warp.barriers;
    const auto first = static_cast<uint32_t>(picture.written_.size());
    const int32_t buffer = copy ? note_copied(*access, source, touched) : note_stored(step, index, touched);
    const auto count = static_cast<uint32_t>(picture.written_.size()) - first;
    picture.writes_.push_back({.step = index, .first = first, .count = count, .arrives = copy ? 0xffffffff : index});
    if (copy) {
      warp.pending.emplace_back(picture.writes_.size() - 1, warp.committed);
      copies.push_back({picture.writes_.size() - 1, step.warp, picture.events_[step.warp].size() - 1});
    }
    const bool zeros = copy && buffer < 0;
    if (zeros) zero_copies.emplace_back(event.batch, Hull());
    Hull& hull = zeros ? zero_copies.back().second : batches[{copy, buffer, event.batch}];
    for (uint32_t left = touched.lanes; left != 0; left &= left - 1) {
      const uint32_t at = touched.first[static_cast<size_t>(std::countr_zero(left))];
      hull.first = std::min(hull.first, at);
      hull.end = std::max(hull.end, at + touched.bytes);
    }
    buffer_of_step[index] = buffer;
  }

  void write_word(uint32_t byte, const Origin& origin) {
    picture.written_.push_back({byte / kBankWordBytes, origin.buffer, origin.element});
  }

  /// Lanes that read nothing copy zeros. Returns the buffer of the copy's source.
  int32_t note_copied(const Access& target, const Access* source, const Touched& touched) {
    int32_t buffer = -1;
    for (uint32_t left = target.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      const bool reads = source != nullptr && (source->mask >> lane & 1U) != 0;
      const uint64_t from = reads ? result.trace.address(*source, static_cast<int>(lane)) : 0;
      for (uint32_t at = 0; at < touched.bytes; at += kBankWordBytes) {
        const Origin origin = reads ? origin_of(result, from + at) : Origin();
        if (origin.buffer >= 0) buffer = origin.buffer;
        write_word(touched.first[lane] + at, origin);
      }
    }
    return buffer;
  }

  /// The origin of a store's registers: the load that wrote them, if nothing was computed in between.
  int32_t note_stored(const Step& step, uint32_t index, const Touched& touched) {
    const StepInstruction& instruction = record.instructions[step.instruction];
    const size_t guards = instruction.guarded ? 1 : 0;
    const size_t values = instruction.reads.size() > guards ? instruction.reads.size() - guards : 0;
    const uint32_t size = values != 0 ? touched.bytes / static_cast<uint32_t>(values) : touched.bytes;
    int32_t buffer = -1;
    for (size_t value = 0; value < std::max<size_t>(values, 1); ++value) {
      const auto loaded = values != 0 ? loaded_by(step.warp, instruction.reads[guards + value].reg, index) : nullptr;
      for (uint32_t left = touched.lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(left));
        const bool known = loaded && (loaded->first->mask >> lane & 1U) != 0;
        const uint64_t from = known ? result.trace.address(*loaded->first, static_cast<int>(lane)) + loaded->second : 0;
        for (uint32_t piece = 0; piece < size; piece += kBankWordBytes) {
          const Origin origin = known ? origin_of(result, from + piece) : Origin();
          if (origin.buffer >= 0) buffer = origin.buffer;
          // If a word holds two narrow elements, the first one names it.
          const uint32_t at = touched.first[lane] + static_cast<uint32_t>(value) * size + piece;
          if (at % kBankWordBytes == 0 || size >= kBankWordBytes) write_word(at, origin);
        }
      }
    }
    return buffer;
  }

  /// The access of the global load that produced a register's value, and the register's offset in the lane's data.
  std::unique_ptr<std::pair<const Access*, uint32_t>> loaded_by(uint32_t warp, uint32_t reg, uint32_t step) const {
    constexpr int kMoves = 3;  // maximum between the load and the store
    for (int i = 0; i < kMoves; ++i) {
      const auto write = step == 0 ? std::nullopt : record.last_write(warp, reg, step - 1);
      if (!write || record.writes[*write].found) return nullptr;
      step = record.writes[*write].step;
      const Step& writer = record.steps[step];
      const StepInstruction& instruction = record.instructions[writer.instruction];
      if (instruction.role == StepRole::load && writer.access != Step::kNone) {
        const Access* access = access_at(warp, writer.access);
        if (access == nullptr || result.trace.sites[access->site].space != Space::global) return nullptr;
        const auto& into = instruction.writes;
        const auto place = std::find_if(into.begin(), into.end(), [&](const StepOperand& to) { return to.reg == reg; });
        if (place == into.end()) return nullptr;
        const uint32_t bytes = instruction.bytes_per_lane / static_cast<uint32_t>(into.size());
        return std::make_unique<std::pair<const Access*, uint32_t>>(
            access, static_cast<uint32_t>(place - into.begin()) * bytes);
      }
      const size_t guards = instruction.guarded ? 1 : 0;
      if (!instruction.text.starts_with("mov") || instruction.reads.size() != guards + 1) return nullptr;
      reg = instruction.reads[guards].reg;
    }
    return nullptr;
  }

  /// Copies that read nothing, beyond the end of a row, belong to the region that their batch copied just before them.
  void attach_zeros() {
    for (const auto& [number, zeros] : zero_copies) {
      Hull* before = nullptr;
      for (auto& [batch, hull] : batches) {
        const auto& [asynchronous, buffer, of] = batch;
        const bool same = asynchronous && buffer >= 0 && of == number && hull.first <= zeros.first;
        if (same && (before == nullptr || hull.first > before->first)) before = &hull;
      }
      Hull& hull = before != nullptr ? *before : batches[{true, -1, number}];
      hull.first = std::min(hull.first, zeros.first);
      hull.end = std::max(hull.end, zeros.end);
    }
  }

  /// Batches that fill the same bytes form one region.
  void find_regions() {
    attach_zeros();
    for (const auto& [batch, hull] : batches) {
      const int32_t buffer = std::get<1>(batch);
      const auto overlaps = [&, &wanted = hull](const SharedRegion& region) {
        if (region.buffer != buffer) return false;
        const uint32_t low = std::max(region.first, wanted.first), high = std::min(region.end, wanted.end);
        return low < high && 2 * (high - low) >= std::min(region.end - region.first, wanted.end - wanted.first);
      };
      const auto known = std::find_if(picture.regions_.begin(), picture.regions_.end(), overlaps);
      if (known == picture.regions_.end()) {
        picture.regions_.push_back({.buffer = buffer, .first = hull.first, .end = hull.end});
        continue;
      }
      known->first = std::min(known->first, hull.first);
      known->end = std::max(known->end, hull.end);
    }
    // Zeros and computed values among a buffer's data belong to the same region.
    std::erase_if(picture.regions_, [&](const SharedRegion& region) {
      return region.buffer < 0 && std::any_of(picture.regions_.begin(), picture.regions_.end(), [&](const auto& other) {
               return other.buffer >= 0 && other.first <= region.first && region.end <= other.end;
             });
    });
    std::sort(picture.regions_.begin(), picture.regions_.end(), [](const SharedRegion& a, const SharedRegion& b) {
      return std::tie(a.first, a.end, a.buffer) < std::tie(b.first, b.end, b.buffer);
    });
    std::map<int32_t, uint32_t> slots;
    for (SharedRegion& region : picture.regions_) region.slot = slots[region.buffer]++;
  }

  void name_regions() {
    for (const CopyEvent& copy : copies)
      picture.events_[copy.warp][copy.event].arrives = picture.writes_[copy.write].arrives;
    for (auto& events : picture.events_) {
      for (SharedEvent& event : events) {
        const uint32_t touched = picture.touched_of_step_[event.step];
        if (touched == SharedWord::kNone) continue;
        const Touched& lanes = picture.touched_[touched];
        const auto first = static_cast<size_t>(std::countr_zero(lanes.lanes));
        event.region = picture.region_at(lanes.first[first]);
        const auto buffer = buffer_of_step.find(event.step);
        if (buffer == buffer_of_step.end() || buffer->second < 0) continue;
        // If regions overlap, a write belongs to the region of its buffer.
        for (size_t i = 0; i < picture.regions_.size(); ++i) {
          const SharedRegion& region = picture.regions_[i];
          if (region.buffer == buffer->second && region.first <= lanes.first[first] && lanes.first[first] < region.end)
            event.region = static_cast<int32_t>(i);
        }
      }
    }
  }

  struct CopyEvent {
    size_t write;  // index into writes_
    uint32_t warp;
    size_t event;  // index into the warp's
  };
  std::vector<CopyEvent> copies;
  std::map<uint32_t, int32_t> buffer_of_step;
  static constexpr uint64_t kSharedBase = uint64_t{1} << kRegionBits;  // of the simulator's window
};

std::shared_ptr<const SharedPicture> SharedPicture::make(std::shared_ptr<const StepRecord> record,
                                                         const RunResult& result) {
  if (record == nullptr) return nullptr;
  auto picture = std::make_shared<SharedPicture>();
  picture->record_ = std::move(record);
  const StepRecord& steps = *picture->record_;
  picture->events_.resize(steps.warps);
  picture->touched_of_step_.assign(steps.steps.size(), SharedWord::kNone);
  Builder builder{.picture = *picture, .record = steps, .result = result};
  builder.find_accesses();
  builder.take_steps();
  if (picture->touched_.empty()) return nullptr;
  builder.find_regions();
  builder.name_regions();
  uint32_t end = 0;
  for (const Touched& touched : picture->touched_)
    for (uint32_t left = touched.lanes; left != 0; left &= left - 1)
      end = std::max(end, touched.first[static_cast<size_t>(std::countr_zero(left))] + touched.bytes);
  picture->words_ = (end + kBankWordBytes * kSharedBanks - 1) / (kBankWordBytes * kSharedBanks) * kSharedBanks;
  return picture;
}

std::span<const SharedEvent> SharedPicture::events(uint32_t warp) const {
  if (warp >= events_.size()) return {};
  return events_[warp];
}

std::vector<SharedWord> SharedPicture::contents_at(uint32_t step) const {
  std::vector<SharedWord> contents(words_);
  for (const Write& write : writes_) {
    if (write.step > step) break;
    const bool there = write.arrives <= step;
    for (const Written& one : std::span(written_).subspan(write.first, write.count))
      if (one.word < words_)
        contents[one.word] = {there ? SharedWord::State::there : SharedWord::State::arriving, one.buffer, one.element,
                              write.step};
  }
  return contents;
}

int32_t SharedPicture::region_at(uint32_t byte) const {
  int32_t best = -1;
  for (size_t i = 0; i < regions_.size(); ++i) {
    const SharedRegion& region = regions_[i];
    if (byte < region.first || byte >= region.end) continue;
    const auto size_of_best = [&] {
      return regions_[static_cast<size_t>(best)].end - regions_[static_cast<size_t>(best)].first;
    };
    if (best < 0 || region.end - region.first < size_of_best()) best = static_cast<int32_t>(i);
  }
  return best;
}

std::optional<SharedPicture::Touched> SharedPicture::touched_at(uint32_t step) const {
  if (step >= touched_of_step_.size() || touched_of_step_[step] == SharedWord::kNone) return std::nullopt;
  return touched_[touched_of_step_[step]];
}

}  // namespace tilescope
