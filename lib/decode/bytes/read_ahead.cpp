// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/read_ahead.h"

#include <utility>

namespace dsdoctor::decode {

ReadAhead::ReadAhead(ByteStream& from) : from_(from), thread_([this] { run(); }) {}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool ReadAhead::put(base::Result<std::string> piece) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || ready_.size() < pieces_ahead; });
  if (stopped_) return false;
  ready_.push_back(std::move(piece));
  changed_.notify_all();
  return true;
}

void ReadAhead::read() {
  for (;;) {
    const auto piece = from_.next();
    auto copy = piece ? base::Result<std::string>(std::string(*piece)) : piece.error();
    const bool last = !copy || copy->empty();
    if (!put(std::move(copy)) || last) return;
  }
}

void ReadAhead::run() {
  try {
    read();
  } catch (...) {  // memory is short
    const std::lock_guard lock(mutex_);
    thrown_ = std::current_exception();
    changed_.notify_all();
  }
}

base::Result<std::string_view> ReadAhead::next() {
  if (!ended_) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty() || thrown_ != nullptr; });
    if (ready_.empty()) std::rethrow_exception(thrown_);
    current_ = std::move(ready_.front());
    ready_.pop_front();
    changed_.notify_all();
    ended_ = !current_ || current_->empty();
  }
  if (!current_) return current_.error();
  return std::string_view(*current_);
}

}  // namespace dsdoctor::decode
