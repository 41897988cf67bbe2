// SPDX-License-Identifier: Apache-2.0
#include "kube/client/page_ahead.h"

#include <utility>

namespace dsdoctor::kube {

namespace {

/// A page of 500 objects has 1 to 20 MB.
constexpr std::size_t most_waiting = 64U << 20U;  // bytes

}  // namespace

PageAhead::PageAhead(Client& client, GetRequest request, std::string token, Client::Slot slot)
    : token_(std::move(token)),
      done_(std::async(std::launch::async,
                       [this, &client, get = std::move(request), held = std::move(slot)]() mutable {
                         fetch(client, std::move(get), std::move(held));
                       })) {}

PageAhead::~PageAhead() { unwanted_ = true; }

PageAhead::Progress PageAhead::take(std::string& bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !bytes_.empty() || ended_ || restarted_; });
  if (restarted_) return Progress::Restarted;
  bytes = std::exchange(bytes_, {});
  if (!bytes.empty()) {
    taken_ = true;
    return Progress::Bytes;
  }
  return failure_ ? Progress::Failed : Progress::Complete;
}

decode::Encoding PageAhead::encoding() {
  const std::lock_guard lock(mutex_);
  return encoding_;
}

std::optional<ApiFailure> PageAhead::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::move(failure_);
}

std::string PageAhead::next_token() {
  const std::lock_guard lock(mutex_);
  return next_token_;
}

void PageAhead::fetch(Client& client, GetRequest get, Client::Slot slot) {
  get.abandoned = [this] { return unwanted_.load(); };
  std::optional<decode::TokenScout> scout;
  BodyReader reader;
  reader.begin = [&](const ResponseHead& head) {
    const std::lock_guard lock(mutex_);
    restarted_ = restarted_ || taken_;
    bytes_.clear();
    encoding_ = decode::encoding_of(head.media_type());
    scout.emplace(encoding_);
    changed_.notify_all();
  };
  reader.feed = [&](std::string_view chunk) -> base::Status {
    scout->feed(chunk);
    const std::lock_guard lock(mutex_);
    next_token_ = scout->token();
    if (bytes_.size() + chunk.size() > most_waiting) {
      restarted_ = true;
      bytes_ = std::string();
      unwanted_ = true;
    } else {
      bytes_ += chunk;
    }
    changed_.notify_all();
    return std::monostate{};
  };
  reader.finish = [] { return base::Status(std::monostate{}); };
  try {
    auto failure = client.get(get, reader, std::move(slot));
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    ended_ = true;
  } catch (...) {  // out of memory: the list reads the page again and reports that error
    const std::lock_guard lock(mutex_);
    restarted_ = true;
  }
  changed_.notify_all();
}

}  // namespace dsdoctor::kube
