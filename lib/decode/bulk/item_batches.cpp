// SPDX-License-Identifier: Apache-2.0
#include "decode/bulk/item_batches.h"

#include <system_error>
#include <utility>

namespace dsdoctor::decode {
namespace {

constexpr std::size_t batch_bytes = std::size_t{512} << 10U;
// Below this size a second thread costs more time than it saves.
constexpr std::size_t batches_alone = 8;
constexpr std::size_t most_given_away = 2;
constexpr std::size_t most_waiting = 8;

template <typename Object>
ItemBatches::Decoded decoded_as(ObjectDecoder& decoder, std::string_view json) {
  Object object;
  auto failure = decoder.decode(json, object);
  if (failure) return {std::move(*failure), decoder.kept()};
  const std::uint64_t kept = decoder.settle_among_others(object, decoder.kept());
  return {std::move(object), kept};
}

}  // namespace

ItemBatches::ItemBatches(ObjectDecoder& own, Sink sink)
    : own_(own), sink_(std::move(sink)), current_(std::make_unique<Batch>()) {}

ItemBatches::~ItemBatches() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

base::Status ItemBatches::add(std::string_view json, Kind kind, std::size_t index) {
  Batch& batch = *current_;
  if (batch.bytes.capacity() < batch_bytes) batch.bytes.reserve(batch_bytes + batch_bytes / 4);
  batch.items.push_back({batch.bytes.size(), json.size(), kind, index});
  batch.bytes.append(json);
  if (batch.bytes.size() < batch_bytes) return std::monostate{};
  dispatch();
  return hand_on(most_waiting);
}

base::Status ItemBatches::flush() {
  if (!current_->items.empty()) dispatch();
  return hand_on(0);
}

void ItemBatches::decode(Batch& batch, ObjectDecoder& decoder) const {
  try {
    batch.decoded.reserve(batch.items.size());
    for (const Item& item : batch.items) {
      const auto json = std::string_view(batch.bytes).substr(item.start, item.size);
      batch.decoded.push_back(item.kind == Kind::Node ? decoded_as<model::Node>(decoder, json)
                                                      : decoded_as<model::Pod>(decoder, json));
      batch.decoded.back().null_times = decoder.null_times();
      if (&decoder != &own_) batch.decoded.back().other_texts = decoder.pool().bytes();
    }
  } catch (...) {  // out of memory
    batch.thrown = std::current_exception();
  }
  if (batch.bytes.capacity() > 2 * batch_bytes) std::string().swap(batch.bytes);
}

void ItemBatches::dispatch() {
  current_->bytes.append(json_padding, ' ');
  Batch& batch = *waiting_.emplace_back(std::exchange(current_, empty_batch()));
  if (++dispatched_ == batches_alone && std::thread::hardware_concurrency() > 1) {
    try {
      thread_ = std::thread([this, limit = own_.memory()] { run(limit); });
    } catch (const std::system_error&) {
      // continue with one thread
    }
  }
  if (give_away(batch)) return;
  decode(batch, own_);
  batch.done = true;
}

/// A batch for new items; reuses the memory of one that was passed on.
std::unique_ptr<ItemBatches::Batch> ItemBatches::empty_batch() {
  if (spare_.empty()) return std::make_unique<Batch>();
  std::unique_ptr<Batch> batch = std::move(spare_.back());
  spare_.pop_back();
  batch->bytes.clear();
  batch->items.clear();
  batch->decoded.clear();
  batch->done = false;
  return batch;
}

bool ItemBatches::give_away(Batch& batch) {
  if (!thread_.joinable()) return false;
  {
    const std::lock_guard lock(mutex_);
    if (given_away_.size() >= most_given_away) return false;
    given_away_.push_back(&batch);
  }
  changed_.notify_all();
  return true;
}

void ItemBatches::run(const MemoryBudget& limit) {
  ObjectDecoder decoder;
  decoder.memory() = limit;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopped_ || !given_away_.empty(); });
    if (stopped_) return;
    Batch& batch = *given_away_.front();
    lock.unlock();
    decode(batch, decoder);
    lock.lock();
    given_away_.pop_front();
    batch.done = true;
    changed_.notify_all();
  }
}

/// Passes on the decoded batches at the front; waits if more than `left` batches are not decoded.
base::Status ItemBatches::hand_on(std::size_t left) {
  while (!waiting_.empty()) {
    Batch& batch = *waiting_.front();
    {
      std::unique_lock lock(mutex_);
      if (!batch.done && waiting_.size() <= left) break;
      changed_.wait(lock, [&] { return batch.done; });
    }
    if (batch.thrown) std::rethrow_exception(batch.thrown);
    for (std::size_t i = 0; i < batch.items.size(); ++i) {
      const Item& item = batch.items[i];
      auto status = sink_(std::move(batch.decoded[i]), item.kind, item.index);
      if (!status) return status;
    }
    spare_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return std::monostate{};
}

}  // namespace dsdoctor::decode
