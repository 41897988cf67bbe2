#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testing/https_server.h"

namespace dsdoctor::testing {

/// An API server's answers from a recorded List (testdata/clusters): lists and single objects of
/// the kinds that the program reads, /version. Honours limit, continue, labelSelector
/// (`a=b,c in (d,e),!f`), fieldSelector (`spec.nodeName=n,status.phase!=Failed`) and the
/// metadata-only form.
class FakeApi {
 public:
  /// `list_file`: a v1 List in JSON. Empty: an empty cluster.
  explicit FakeApi(const std::string& list_file);
  ~FakeApi();
  FakeApi(const FakeApi&) = delete;
  FakeApi& operator=(const FakeApi&) = delete;

  /// One more object: JSON with kind and metadata. Before the first request.
  void add(const std::string& object);
  /// The next requests whose path (percent-decoded) is `path` get these answers first, one each.
  void script(const std::string& path, std::vector<Reply> replies);
  /// Requests without `Bearer token` or a verified client certificate get 401.
  void require_token(const std::string& token);
  /// All requests of that path get 403, with the API server's sentence.
  void forbid(const std::string& path);
  /// At most so many objects a page, whatever the client's limit says; 0: no cap.
  void cap_pages(std::size_t objects);

  [[nodiscard]] Handler handler();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A Status body of failure, without details.
[[nodiscard]] Reply status_reply(int code, const std::string& reason, const std::string& message);
/// That there is no such object: with the details that say so.
[[nodiscard]] Reply not_found_reply(const std::string& resource, const std::string& name,
                                    const std::string& message);

}  // namespace dsdoctor::testing
