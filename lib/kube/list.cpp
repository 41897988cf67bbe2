#include "kube/list.h"

#include <fmt/format.h>

#include <utility>

#include "decode/list_decoder.h"

namespace dsdoctor::kube {
namespace {

constexpr int max_pages = 100'000;  // a server that repeats its token must not hold us for ever

/// What one walk over the pages has collected.
class PageWalk {
 public:
  PageWalk(Client& client, const ListRequest& request, bool paged)
      : client_(client), request_(request), paged_(paged && request.page_size > 0) {
    progress_.resource = request.resource;
  }

  /// Null: all pages were read.
  std::optional<ApiFailure> run() {
    for (int page = 0; page < max_pages; ++page) {
      if (auto failure = read_page()) return failure;
      if (head_.continue_token.empty()) return std::nullopt;
      token_ = head_.continue_token;
    }
    ApiFailure failure;
    failure.message = "the list does not end";
    failure.error = {base::ErrorKind::Unavailable, request_.path, failure.message};
    return failure;
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
  std::optional<ApiFailure> read_page() {
    GetRequest get;
    get.path = request_.path;
    get.query = request_.selectors;
    get.resource = request_.resource;
    if (decode::has_protobuf(request_.kind)) {
      get.accept = "application/vnd.kubernetes.protobuf,application/json";
    }
    if (paged_) get.query.emplace_back("limit", std::to_string(request_.page_size));
    if (!token_.empty()) get.query.emplace_back("continue", token_);
    std::optional<decode::ListDecoder> decoder;
    BodyReader reader;
    reader.begin = [&](const ResponseHead& head) {
      decoder.reset();
      // A first page that is read again is another snapshot: nothing of the broken one may stay.
      // A later page comes from the same snapshot, and the builder keeps each object once.
      if (token_.empty()) builder_ = decode::ClusterBuilder();
      decoder.emplace(builder_, request_.kind, decode::Origin{request_.path},
                      decode::encoding_of(head.media_type()));
    };
    const ListProgress before = progress_;
    reader.feed = [&](std::string_view chunk) {
      auto status = decoder->feed(chunk);
      report(before, decoder->items(), chunk.size());
      return status;
    };
    reader.finish = [&]() -> base::Status {
      auto head = decoder->finish();
      if (!head) return head.error();
      if (head->kind == "Status") {
        return base::Error{base::ErrorKind::Malformed, request_.path, "is a Status, not a list"};
      }
      head_ = std::move(*head);
      return std::monostate{};
    };
    return client_.get(get, reader);
  }

  /// `before`: when the page began; `items`: of the page.
  void report(const ListProgress& before, std::size_t items, std::size_t bytes) {
    progress_.objects = before.objects + items;
    progress_.bytes += bytes;
    if (request_.on_progress) request_.on_progress(progress_);
  }

  Client& client_;
  const ListRequest& request_;
  ListProgress progress_;
  bool paged_;
  decode::ClusterBuilder builder_;
  decode::ListHead head_;
  std::string token_;
};

bool is_expired(const ApiFailure& failure) {
  return failure.status == 410 || failure.reason == "Expired" || failure.reason == "Gone";
}

}  // namespace

ListAnswer read_list(Client& client, const ListRequest& request) {
  constexpr int walks = 3;  // paged, paged once more, all at once
  for (int walk = 1;; ++walk) {
    PageWalk pages(client, request, walk < walks);
    auto failure = pages.run();
    if (!failure) return pages.take();
    if (walk == walks || !is_expired(*failure)) return {std::move(failure), {}, {}, {}};
  }
}

}  // namespace dsdoctor::kube
