// SPDX-License-Identifier: Apache-2.0
#include "kube/client/page_ahead.h"

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>

#include "kube/client/list.h"
#include "kube/test_environment.h"

namespace dsdoctor::kube {
namespace {

/// A page with its token at the beginning.
std::string page_of_one(const std::string& token, const std::string& name) {
  return R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":")" +
         token + R"("},"items":[{"metadata":{"name":")" + name + R"("}}]})";
}

/// The first page breaks off and is requested again. The second one, requested meanwhile, sends
/// nothing until the first has begun again: as with a single thread that serves both and has its
/// buffer full of the first.
class OneAfterTheOther final : public Transport {
 public:
  std::optional<TransportFailure> get(const HttpRequest& request,
                                      const Receiver& receiver) override {
    const bool second = request.target.find("continue=") != std::string::npos;
    if (second) {
      std::unique_lock lock(mutex_);
      asked_ahead_ = true;
      changed_.notify_all();
      changed_.wait(lock, [&] { return moves_; });
    }
    const bool first_time = !second && firsts_++ == 0;
    (void)receiver.head({200, {{"Content-Type", "application/json"}}});
    if (first_time) return break_off(receiver);
    release();
    (void)receiver.body(second ? page_of_one("", "b") : page_of_one("t1", "a"));
    return std::nullopt;
  }
  [[nodiscard]] bool asked_in_time() {
    const std::lock_guard lock(mutex_);
    return asked_in_time_;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    moves_ = true;
    changed_.notify_all();
  }

 private:
  std::optional<TransportFailure> break_off(const Receiver& receiver) {
    const std::string whole = page_of_one("t1", "a");
    (void)receiver.body(whole.substr(0, whole.size() - 2));
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(5), [&] { return asked_ahead_; });
    asked_in_time_ = asked_ahead_;
    moves_ = !asked_ahead_;  // else the test proves nothing, and its check fails
    return TransportFailure{TransportFault::CutBody,
                            {base::ErrorKind::Unavailable, "", "the wire broke"}};
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int firsts_ = 0;  // used by one thread
  bool asked_ahead_ = false;
  bool asked_in_time_ = false;
  bool moves_ = false;
};

/// Three pages. Each sends its object, but ends only when all three are requested, or after 5
/// seconds; bytes keep arriving meanwhile.
class OnlyTogether final : public Transport {
 public:
  std::optional<TransportFailure> get(const HttpRequest& request,
                                      const Receiver& receiver) override {
    const auto is = [&](const char* token) {
      return request.target.find(std::string("continue=") + token) != std::string::npos;
    };
    {
      const std::lock_guard lock(mutex_);
      ++asked_;
      changed_.notify_all();
    }
    (void)receiver.head({200, {{"Content-Type", "application/json"}}});
    const std::string whole = is("t2")   ? page_of_one("", "c")
                              : is("t1") ? page_of_one("t2", "b")
                                         : page_of_one("t1", "a");
    const std::size_t rest = 2;  // the brackets at the end
    (void)receiver.body(whole.substr(0, whole.size() - rest));
    for (int tries = 0; tries < 500 && !all_asked(); ++tries) (void)receiver.body(" ");
    (void)receiver.body(whole.substr(whole.size() - rest));
    return std::nullopt;
  }
  [[nodiscard]] bool in_time() const { return in_time_; }

 private:
  bool all_asked() {
    std::unique_lock lock(mutex_);
    in_time_ = changed_.wait_for(lock, std::chrono::milliseconds(10), [&] { return asked_ == 3; });
    return in_time_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int asked_ = 0;
  std::atomic<bool> in_time_ = false;
};

TEST_CASE("while a page arrives the next two are requested", "[page_ahead]") {
  OnlyTogether transport;
  const Connection connection;
  CredentialSource credentials(connection, {}, Clock::system());
  Client client(connection, transport, credentials, Clock::system());
  const ListAnswer answer =
      read_list(client, {"/api/v1/nodes", {}, "nodes", decode::Kind::Node, 1});
  REQUIRE_FALSE(answer.failure);
  CHECK(transport.in_time());
  REQUIRE(answer.cluster.nodes.size() == 3);
  CHECK(answer.cluster.nodes[2].meta.name == "c");
}

TEST_CASE("a page further ahead leaves a slot for other requests", "[page_ahead]") {
  OnlyTogether transport;
  const Connection connection;
  CredentialSource credentials(connection, {}, Clock::system());
  Client client(connection, transport, credentials, Clock::system());
  std::vector<Client::Slot> held;
  held.reserve(4);
  const auto take = [&](int others) {
    auto slot = client.try_slot(others);
    if (slot) held.push_back(std::move(*slot));
    return slot.has_value();
  };
  for (int i = 0; i < 3; ++i) CHECK(take(1));
  CHECK_FALSE(take(1));  // and releases what it took
  CHECK(take(0));
  CHECK_FALSE(take(0));
  held.clear();
  CHECK(client.try_slot(3));
}

TEST_CASE("a page that is requested again does not wait for the next one", "[page_ahead]") {
  OneAfterTheOther transport;
  Clock clock = Clock::system();
  clock.sleep = [](std::chrono::milliseconds, const std::atomic<bool>&) {};
  const Connection connection;
  CredentialSource credentials(connection, {}, clock);
  Client client(connection, transport, credentials, clock);
  auto reading = std::async(std::launch::async, [&] {
    return read_list(client, {"/api/v1/nodes", {}, "nodes", decode::Kind::Node, 2});
  });
  const bool ended = reading.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  transport.release();
  REQUIRE(transport.asked_in_time());
  REQUIRE(ended);
  const ListAnswer answer = reading.get();
  REQUIRE_FALSE(answer.failure);
  CHECK(answer.cluster.nodes.size() == 2);
}

}  // namespace
}  // namespace dsdoctor::kube
