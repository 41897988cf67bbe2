// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "decode/bytes/byte_stream.h"

namespace dsdoctor::decode {

/// Reads and unpacks a stream on another thread, a few pieces ahead, while the caller processes the
/// previous ones.
class ReadAhead final : public ByteStream {
 public:
  /// `next` rethrows exceptions of `from`. `from` must outlive this; nothing else may read it from
  /// now on.
  explicit ReadAhead(ByteStream& from);
  ~ReadAhead() override;

  [[nodiscard]] base::Result<std::string_view> next() override;

 private:
  static constexpr std::size_t pieces_ahead = 8;

  void run();
  void read();
  /// False if reading was stopped.
  bool put(base::Result<std::string> piece);

  ByteStream& from_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<base::Result<std::string>> ready_;  // guarded by mutex_
  std::exception_ptr thrown_;                    // by `from_`; guarded by mutex_
  bool stopped_ = false;                         // guarded by mutex_
  base::Result<std::string> current_ = std::string();
  bool ended_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace dsdoctor::decode
