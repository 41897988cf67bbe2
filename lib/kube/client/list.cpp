// SPDX-License-Identifier: Apache-2.0
#include "kube/client/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "decode/cluster/list_decoder.h"
#include "kube/client/page_ahead.h"

namespace dsdoctor::kube {
namespace {

/// Reads all pages of a list once. A page is fetched as soon as its token is known, while the pages
/// before it are still arriving or being decoded.
class PageWalk {
 public:
  PageWalk(Client& client, const ListRequest& request, bool paged)
      : client_(client), request_(request), paged_(paged && request.page_size > 0) {
    progress_.resource = request.resource;
  }

  /// Null: all pages were read.
  std::optional<ApiFailure> run() {
    std::string token;
    std::size_t empty_pages = 0;
    do {
      seen_.insert(token);
      const std::uint64_t objects = progress_.objects;
      if (auto failure = read_page(token)) return failure;
      token = head_.continue_token;
      if (token.empty()) return std::nullopt;
      const std::int64_t left = std::max<std::int64_t>(head_.remaining_items.value_or(0), 0);
      progress_.expected = left > 0 ? progress_.objects + static_cast<std::size_t>(left) : 0;
      if (counted_ == 0) counted_ = progress_.expected;
      // With a selector, many pages of a large list may be empty.
      empty_pages = progress_.objects == objects ? empty_pages + 1 : 0;
      if (empty_pages > most_empty_pages) return endless("page after page is empty");
    } while (!seen_.contains(token));
    return endless("the server repeats a continue token");
  }

  ListAnswer take() {
    ListAnswer answer;
    builder_.mark_seen(request_.kind);
    answer.warnings = builder_.take_warnings();
    answer.cluster = builder_.build();
    answer.resource_version = head_.resource_version;
    return answer;
  }

 private:
  static constexpr std::size_t most_empty_pages = 10'000;
  /// Two, because a server takes longer to begin a page than to send it.
  static constexpr std::size_t most_ahead = 2;

  [[nodiscard]] base::Error without_end(std::string_view why) const {
    return {base::ErrorKind::Unavailable, request_.path,
            fmt::format("the list does not end: {}", why)};
  }

  [[nodiscard]] ApiFailure endless(std::string_view why) const {
    return failure_of(without_end(why));
  }

  /// The error for a list beyond the limits: a faulty server may invent pages and tokens forever.
  [[nodiscard]] std::optional<base::Error> excess() const {
    const ListLimits& limits = request_.limits;
    if (progress_.objects > limits.objects) {
      return without_end(fmt::format("it has more than {} objects", limits.objects));
    }
    if (progress_.bytes > limits.bytes) {
      return without_end(fmt::format("it has more than {} bytes", limits.bytes));
    }
    if (counted_ > 0 && progress_.objects > 2 * counted_ + limits.uncounted) {
      return without_end(fmt::format("the server counted {} objects, and has sent {}", counted_,
                                     progress_.objects));
    }
    return std::nullopt;
  }

  std::optional<ApiFailure> read_page(const std::string& token) {
    if (!ahead_.empty() && ahead_.front()->token() == token) {
      const auto page = std::move(ahead_.front());
      ahead_.pop_front();
      switch (decode(*page)) {
        case PageAhead::Progress::Complete: return std::nullopt;
        case PageAhead::Progress::Failed:
          return excess_ ? failure_of(*excess_) : page->take_failure();
        case PageAhead::Progress::Bytes:
        case PageAhead::Progress::Restarted: break;
      }
    }
    return stream(token);  // the first page, or a broken one that is read again
  }

  [[nodiscard]] GetRequest get_request(const std::string& token) const {
    GetRequest get;
    get.path = request_.path;
    get.query = request_.selectors;
    get.resource = request_.resource;
    if (decode::has_protobuf(request_.kind)) {
      get.accept = "application/vnd.kubernetes.protobuf,application/json";
    }
    if (paged_) get.query.emplace_back("limit", std::to_string(request_.page_size));
    if (!token.empty()) get.query.emplace_back("continue", token);
    return get;
  }

  [[nodiscard]] decode::ListDecoder new_decoder(decode::Encoding encoding) {
    return {builder_, request_.kind, decode::Origin{request_.path}, encoding};
  }

  /// Decodes a page that is fetched ahead, while it arrives. Restarted: the page is broken and must
  /// be read again.
  PageAhead::Progress decode(PageAhead& page) {
    const ListProgress before = progress_;
    std::optional<decode::ListDecoder> decoder;
    std::string bytes;
    for (;;) {
      const auto progress = page.take(bytes);
      if (progress == PageAhead::Progress::Failed || progress == PageAhead::Progress::Restarted) {
        return progress;
      }
      if (!decoder) decoder.emplace(new_decoder(page.encoding()));
      if (progress == PageAhead::Progress::Complete) break;
      if (!decoder->feed(bytes)) return PageAhead::Progress::Restarted;
      after_chunk(*decoder, before, bytes.size());
      excess_ = excess();
      if (excess_) return PageAhead::Progress::Failed;
    }
    auto head = decoder->finish();
    if (!head) return PageAhead::Progress::Restarted;
    head_ = std::move(*head);
    return PageAhead::Progress::Complete;
  }

  /// Requests a page and decodes it while it arrives.
  std::optional<ApiFailure> stream(const std::string& token) {
    std::optional<decode::ListDecoder> decoder;
    const ListProgress before = progress_;
    BodyReader reader;
    reader.begin = [&](const ResponseHead& head) {
      decoder.reset();
      // A new attempt at the first page reads another snapshot: drop all objects of the broken one,
      // and its next page. A later page belongs to the same snapshot, and the builder keeps each
      // object once.
      if (token.empty()) {
        retire_ahead();
        builder_ = decode::ClusterBuilder();
      }
      progress_ = before;
      decoder.emplace(new_decoder(decode::encoding_of(head.media_type())));
    };
    reader.feed = [&](std::string_view chunk) -> base::Status {
      auto status = decoder->feed(chunk);
      after_chunk(*decoder, before, chunk.size());
      if (auto error = excess()) return *std::move(error);
      return status;
    };
    reader.finish = [&]() -> base::Status {
      auto head = decoder->finish();
      if (!head) return head.error();
      head_ = std::move(*head);
      return std::monostate{};
    };
    return client_.get(get_request(token), reader);
  }

  /// `before`: the progress at the beginning of the page.
  void after_chunk(const decode::ListDecoder& decoder, const ListProgress& before,
                   std::size_t bytes) {
    progress_.objects = before.objects + decoder.items();
    progress_.bytes += bytes;
    if (request_.on_progress) request_.on_progress(progress_);
    fetch_ahead(decoder.early_token());
  }

  /// `next`: the token of the page after the one being decoded; empty if unknown.
  void fetch_ahead(const std::string& next) {
    if (!ahead_.empty() && !next.empty() && ahead_.front()->token() != next) retire_ahead();
    if (ahead_.empty()) {
      fetch_page(next, 0);
    } else if (ahead_.size() < most_ahead) {
      // Leaves one slot for another list.
      fetch_page(ahead_.back()->next_token(), 1);
    }
  }

  /// Does nothing unless `others` more slots are free.
  void fetch_page(const std::string& token, int others) {
    if (token.empty() || seen_.contains(token)) return;
    const auto has_it = [&](const auto& page) { return page->token() == token; };
    if (std::ranges::any_of(ahead_, has_it)) return;
    if (auto slot = client_.try_slot(others)) {
      ahead_.push_back(
          std::make_unique<PageAhead>(client_, get_request(token), token, std::move(*slot)));
    }
  }

  /// Does not wait for their threads: they may wait for the network, and the network for this
  /// thread.
  void retire_ahead() {
    for (auto& page : ahead_) {
      page->abandon();
      retired_.push_back(std::move(page));
    }
    ahead_.clear();
  }

  Client& client_;
  const ListRequest& request_;
  ListProgress progress_;
  std::size_t counted_ = 0;            // objects, by the server's first count; 0: unknown
  std::optional<base::Error> excess_;  // in a page that was fetched ahead
  bool paged_;
  std::unordered_set<std::string> seen_;  // the tokens of the requested pages
  decode::ClusterBuilder builder_;
  decode::ListHead head_;
  std::deque<std::unique_ptr<PageAhead>> ahead_;     // in list order
  std::vector<std::unique_ptr<PageAhead>> retired_;  // abandoned; their threads are about to end
};

bool is_expired(const ApiFailure& failure) {
  return failure.status == 410 || failure.reason == "Expired" || failure.reason == "Gone";
}

}  // namespace

ListAnswer read_list(Client& client, const ListRequest& request) {
  constexpr int walks = 3;  // paged, paged again, and unpaged
  for (int walk = 1;; ++walk) {
    PageWalk pages(client, request, walk < walks);
    auto failure = pages.run();
    if (!failure) return pages.take();
    if (walk == walks || !is_expired(*failure)) return {std::move(failure), {}, {}, {}};
  }
}

}  // namespace dsdoctor::kube
