// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testing/https_server.h"

namespace dsdoctor::testing {

/// An API server that answers from a recorded List (testdata/clusters): lists and single objects of
/// the kinds that the program reads, /version, watches. Supports limit, continue, labelSelector
/// (`a=b,c in (d,e),!f`), fieldSelector (`spec.nodeName=n,status.phase!=Failed`) and the
/// metadata-only form.
class FakeApi {
 public:
  /// `list_file`: a v1 List in JSON. Empty: an empty cluster.
  explicit FakeApi(const std::string& list_file);
  ~FakeApi();
  FakeApi(const FakeApi&) = delete;
  FakeApi& operator=(const FakeApi&) = delete;

  /// Adds an object: JSON with kind and metadata. REQUIRES: no request was served yet.
  void add(const std::string& object);
  /// Answers the next requests for `path` (percent-decoded) with these replies, one each.
  void script(const std::string& path, std::vector<Reply> replies);
  /// Answers requests without `Bearer token` or a verified client certificate with 401.
  void require_token(const std::string& token);
  /// Answers all requests for that path with 403 and the API server's message.
  void forbid(const std::string& path);
  /// Adds or replaces an object while requests are served; watches send the change.
  void set(const std::string& object);
  /// Deletes an object. REQUIRES: it exists.
  void remove(const std::string& kind, const std::string& ns, const std::string& name);
  /// The first object of a kind in a namespace. REQUIRES: there is one.
  [[nodiscard]] std::string name_of_first(const std::string& kind, const std::string& ns) const;
  /// Ends all watches that run; a later one from a version before now fails with 410.
  void forget_changes();
  /// Ends all watches that run, in order.
  void end_watches();
  /// Rejects `sendInitialEvents`, as without the feature gate WatchList.
  void refuse_initial_events();
  /// Answers watches of that path with 403.
  void forbid_watch(const std::string& path);
  /// Limits pages to this number of objects, with any limit of the client; 0: no limit.
  void cap_pages(std::size_t objects);

  [[nodiscard]] Handler handler();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A Status body of a failure, without details.
[[nodiscard]] Reply status_reply(int code, const std::string& reason, const std::string& message);
/// A reply that the object does not exist, with details.
[[nodiscard]] Reply not_found_reply(const std::string& resource, const std::string& name,
                                    const std::string& message);

}  // namespace dsdoctor::testing
