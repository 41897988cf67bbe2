// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "base/result.h"
#include "decode/bulk/object_decoder.h"
#include "decode/objects/kind.h"
#include "model/node.h"
#include "model/pod.h"

namespace dsdoctor::decode {

/// Decodes the pods and nodes of a list in batches; in long lists a second thread decodes every
/// other batch. Objects are passed on in their order in either case.
class ItemBatches {
 public:
  struct Decoded {
    std::variant<DecodeFailure, model::Node, model::Pod> object;
    std::uint64_t kept = 0;         // see ObjectDecoder::settle_among_others
    std::uint64_t other_texts = 0;  // of the second thread, in bytes
    std::size_t null_times = 0;     // see ObjectDecoder::null_times
  };
  /// Receives the objects in order. An error stops the batches, and `add` returns it.
  using Sink = std::function<base::Status(Decoded decoded, Kind kind, std::size_t index)>;

  /// `own`: the decoder of this thread. Must outlive this.
  ItemBatches(ObjectDecoder& own, Sink sink);
  ~ItemBatches();
  ItemBatches(const ItemBatches&) = delete;
  ItemBatches& operator=(const ItemBatches&) = delete;

  [[nodiscard]] static bool takes(Kind kind) { return kind == Kind::Node || kind == Kind::Pod; }

  /// Adds a copy of one item. REQUIRES: takes(kind). Errors: those of the sink, for this item or an
  /// earlier one. Do not add items after an error.
  [[nodiscard]] base::Status add(std::string_view json, Kind kind, std::size_t index);

  /// Passes on all items that were added.
  [[nodiscard]] base::Status flush();

 private:
  struct Item {
    std::size_t start = 0;  // in the batch's bytes
    std::size_t size = 0;
    Kind kind = Kind::Pod;
    std::size_t index = 0;
  };
  struct Batch {
    std::string bytes;
    std::vector<Item> items;
    std::vector<Decoded> decoded;
    std::exception_ptr thrown;
    bool done = false;  // guarded by mutex_ if the second thread has the batch
  };

  void decode(Batch& batch, ObjectDecoder& decoder) const;
  void run(const MemoryBudget& limit);
  [[nodiscard]] std::unique_ptr<Batch> empty_batch();
  void dispatch();
  /// Returns false if the second thread is busy, or there is none.
  bool give_away(Batch& batch);
  [[nodiscard]] base::Status hand_on(std::size_t left);

  ObjectDecoder& own_;
  Sink sink_;
  std::unique_ptr<Batch> current_;
  std::vector<std::unique_ptr<Batch>> spare_;   // for reuse
  std::deque<std::unique_ptr<Batch>> waiting_;  // to be passed on, in order
  std::size_t dispatched_ = 0;                  // batches
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch*> given_away_;  // guarded by mutex_
  bool stopped_ = false;           // guarded by mutex_
  std::thread thread_;             // only for long lists
};

}  // namespace dsdoctor::decode
