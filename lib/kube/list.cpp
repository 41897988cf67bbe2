#include "kube/list.h"

#include <fmt/format.h>

#include <atomic>
#include <future>
#include <utility>

#include "decode/list_decoder.h"

namespace dsdoctor::kube {
namespace {

constexpr int max_pages = 100'000;  // a server that repeats its token must not hold us for ever

/// A page's bytes, fetched while the page before it was still being read.
struct FetchedPage {
  std::optional<ApiFailure> failure;  // then the rest is empty
  std::string body;
  decode::Encoding encoding = decode::Encoding::Json;
};

/// One page on its way, on a thread of its own.
class PageAhead {
 public:
  PageAhead(Client& client, GetRequest request, std::string token)
      : token_(std::move(token)),
        page_(std::async(std::launch::async, [this, &client, get = std::move(request)] {
          return fetch(client, get);
        })) {}
  /// Waits for the thread, which ends early.
  ~PageAhead() { unwanted_ = true; }
  PageAhead(const PageAhead&) = delete;
  PageAhead& operator=(const PageAhead&) = delete;

  [[nodiscard]] const std::string& token() const { return token_; }
  FetchedPage take() { return page_.get(); }

 private:
  FetchedPage fetch(Client& client, const GetRequest& get) {
    FetchedPage page;
    BodyReader reader;
    reader.begin = [&](const ResponseHead& head) {
      page.body.clear();
      page.encoding = decode::encoding_of(head.media_type());
    };
    reader.feed = [&](std::string_view chunk) -> base::Status {
      page.body += chunk;
      if (!unwanted_) return std::monostate{};
      return base::Error{base::ErrorKind::Unavailable, get.path, "cancelled"};
    };
    reader.finish = [] { return base::Status(std::monostate{}); };
    page.failure = client.get(get, reader);
    return page;
  }

  std::string token_;
  std::atomic<bool> unwanted_ = false;
  std::future<FetchedPage> page_;  // last: its thread uses all of the above
};

/// What one walk over the pages has collected. The next page is fetched as soon as its token is
/// known, while the present one is still arriving or being decoded.
class PageWalk {
 public:
  PageWalk(Client& client, const ListRequest& request, bool paged)
      : client_(client), request_(request), paged_(paged && request.page_size > 0) {
    progress_.resource = request.resource;
  }

  /// Null: all pages were read.
  std::optional<ApiFailure> run() {
    std::string token;
    for (int page = 0; page < max_pages; ++page) {
      if (auto failure = read_page(token)) return failure;
      token = head_.continue_token;
      if (token.empty()) return std::nullopt;
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
  std::optional<ApiFailure> read_page(const std::string& token) {
    if (ahead_ && ahead_->token() == token) {
      FetchedPage page = ahead_->take();
      ahead_.reset();
      if (page.failure) return std::move(page.failure);
      if (decode(page)) return std::nullopt;
    }
    return stream(token);  // the first page, and one that came broken
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

  /// False: the page is broken, and has to be read again.
  bool decode(const FetchedPage& page) {
    constexpr std::size_t slice = 64U << 10U;
    const ListProgress before = progress_;
    auto decoder = new_decoder(page.encoding);
    for (std::size_t at = 0; at < page.body.size(); at += slice) {
      const auto chunk = std::string_view(page.body).substr(at, slice);
      if (!decoder.feed(chunk)) return false;
      after_chunk(decoder, before, chunk.size());
    }
    auto head = decoder.finish();
    if (head) head_ = std::move(*head);
    return head.has_value();
  }

  /// Decodes while the page arrives.
  std::optional<ApiFailure> stream(const std::string& token) {
    std::optional<decode::ListDecoder> decoder;
    const ListProgress before = progress_;
    BodyReader reader;
    reader.begin = [&](const ResponseHead& head) {
      decoder.reset();
      // A first page that is read again is another snapshot: nothing of the broken one may stay,
      // nor its successor. A later page comes from the same snapshot, and the builder keeps each
      // object once.
      if (token.empty()) {
        ahead_.reset();
        builder_ = decode::ClusterBuilder();
      }
      progress_ = before;
      decoder.emplace(new_decoder(decode::encoding_of(head.media_type())));
    };
    reader.feed = [&](std::string_view chunk) {
      auto status = decoder->feed(chunk);
      after_chunk(*decoder, before, chunk.size());
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

  /// `before`: the progress when the page began.
  void after_chunk(const decode::ListDecoder& decoder, const ListProgress& before,
                   std::size_t bytes) {
    progress_.objects = before.objects + decoder.items();
    progress_.bytes += bytes;
    if (request_.on_progress) request_.on_progress(progress_);
    const std::string& next = decoder.early_token();
    if (next.empty() || (ahead_ && ahead_->token() == next)) return;
    ahead_.reset();
    ahead_.emplace(client_, get_request(next), next);
  }

  Client& client_;
  const ListRequest& request_;
  ListProgress progress_;
  bool paged_;
  decode::ClusterBuilder builder_;
  decode::ListHead head_;
  std::optional<PageAhead> ahead_;
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
