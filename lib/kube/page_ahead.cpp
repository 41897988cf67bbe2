#include "kube/page_ahead.h"

#include <utility>

namespace dsdoctor::kube {

PageAhead::PageAhead(Client& client, GetRequest request, std::string token)
    : token_(std::move(token)),
      done_(std::async(std::launch::async, [this, &client, get = std::move(request)]() mutable {
        fetch(client, std::move(get));
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

void PageAhead::fetch(Client& client, GetRequest get) {
  get.abandoned = [this] { return unwanted_.load(); };
  BodyReader reader;
  reader.begin = [&](const ResponseHead& head) {
    const std::lock_guard lock(mutex_);
    restarted_ = taken_;
    bytes_.clear();
    encoding_ = decode::encoding_of(head.media_type());
    changed_.notify_all();
  };
  reader.feed = [&](std::string_view chunk) -> base::Status {
    const std::lock_guard lock(mutex_);
    bytes_ += chunk;
    changed_.notify_all();
    return std::monostate{};
  };
  reader.finish = [] { return base::Status(std::monostate{}); };
  auto failure = client.get(get, reader);
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace dsdoctor::kube
