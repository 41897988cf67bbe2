// SPDX-License-Identifier: Apache-2.0

// Answers of a server: frames of HTTP/2, and events of a watch.

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "decode/watch/watch_decoder.h"
#include "fuzz/test_fuzz.h"
#include "fuzz/test_reading.h"
#include "kube/http/curl_transport.h"
#include "testing/certificates.h"
#include "testing/https_server.h"

namespace dsdoctor::fuzz {
namespace {

#ifndef _WIN32  // the server needs POSIX

/// A server that sends the frames of the current input, and a client of it.
class FrameExchange {
 public:
  FrameExchange() {
    connection_.server = *kube::parse_server_url(server_.url());
    connection_.tls.ca_pem = ca_.certificate();
    connection_.tls.ca_source = "fuzz";
  }

  struct Outcome {
    std::string body;
    int status = 0;
    std::optional<kube::TransportFailure> failure;
  };
  Outcome run(std::string_view frames) {
    {
      const std::lock_guard lock(mutex_);
      frames_ = frames;
    }
    kube::TransportLimits limits;
    limits.first_byte = limits.stall = std::chrono::seconds(5);
    limits.body = std::uint64_t{1} << 20U;
    kube::CurlTransport transport(connection_, "fuzz", nullptr, limits);
    Outcome outcome;
    outcome.failure = transport.get({"/x"}, {[&](const kube::ResponseHead& head) {
                                               outcome.status = head.status;
                                               return true;
                                             },
                                             [&](std::string_view chunk) {
                                               outcome.body += chunk;
                                               return true;
                                             }});
    return outcome;
  }

 private:
  std::mutex mutex_;
  std::string frames_;  // guarded by mutex_
  testing::CertificateAuthority ca_;
  testing::HttpsServer server_{{.identity = ca_.issue_server(),
                                .frames =
                                    [this] {
                                      const std::lock_guard lock(mutex_);
                                      return frames_;
                                    }},
                               [](const testing::ServedRequest&) { return testing::Reply{}; }};
  kube::Connection connection_;
};

#endif

struct Watched {
  std::string events;  // a line each
  bool is_error = false;

  friend bool operator==(const Watched&, const Watched&) = default;
};

std::string text_of_event(const decode::WatchEvent& event) {
  struct Text {
    std::string operator()(const decode::ObjectSeen& seen) const {
      model::Cluster cluster;
      std::visit([&](const auto& object) { add(cluster, object); }, seen.object);
      return "seen " + fuzz::text_of(cluster);
    }
    std::string operator()(const decode::ObjectGone& gone) const {
      return "gone " + gone.ns + "/" + gone.name;
    }
    std::string operator()(const decode::Bookmark& mark) const {
      return mark.ends_initial_events ? "bookmark, end" : "bookmark";
    }
    std::string operator()(const decode::WatchError& error) const {
      return "error " + std::to_string(error.code) + " " + error.reason + " " + error.message;
    }
    static void add(model::Cluster& to, const model::Node& node) { to.nodes.push_back(node); }
    static void add(model::Cluster& to, const model::Pod& pod) { to.pods.push_back(pod); }
    static void add(model::Cluster& to, const model::DaemonSet& ds) {
      to.daemon_sets.push_back(ds);
    }
    static void add(model::Cluster& to, const model::ControllerRevision& revision) {
      to.revisions.push_back(revision);
    }
    static void add(model::Cluster& to, const model::Event& each) { to.events.push_back(each); }
  };
  return std::visit(Text{}, event.what) + " " + event.resource_version + "\n";
}

Watched watched(std::string_view input, std::size_t piece, decode::Kind kind,
                decode::Encoding encoding) {
  Watched result;
  decode::WatchDecoder decoder(kind, "input", [&](const decode::WatchEvent& event) -> base::Status {
    result.events += text_of_event(event);
    return std::monostate{};
  });
  decoder.begin(encoding);
  for (std::size_t at = 0; at < input.size() && !result.is_error; at += piece) {
    const std::string chunk(input.substr(at, piece));  // a copy, as in list_in_pieces
    result.is_error = !decoder.feed(chunk);
  }
  return result;
}

}  // namespace

void http2_frames([[maybe_unused]] std::string_view input) {
#ifndef _WIN32
  // The server keeps the thread of each connection until its end.
  constexpr int most_connections = 500;
  // The first exchange is the initializer: OpenSSL registers its own clean-up while it is made, so
  // that the threads of the server end before OpenSSL does.
  static auto exchange = std::make_unique<FrameExchange>();
  static int connections = 0;
  if (++connections % most_connections == 0) exchange = std::make_unique<FrameExchange>();
  const auto outcome = exchange->run(input);
  if (!outcome.failure) {
    require(outcome.status >= 200, "an answer without a failure has a status");
    return;
  }
  const std::string text = base::to_string(outcome.failure->error);
  require(!text.empty(), "a failure says what happened");
  require(text.find_first_of("\n\r\x1b") == text.npos, "a failure is one printable line");
#endif
}

void watch_events(std::string_view input) {
  if (input.size() < 2) return;
  const auto chosen = static_cast<unsigned char>(input[0]);
  const std::size_t piece = static_cast<unsigned char>(input[1]) + 1U;
  input.remove_prefix(2);
  constexpr decode::Kind kinds[] = {decode::Kind::Node, decode::Kind::Pod, decode::Kind::DaemonSet,
                                    decode::Kind::Event};
  const decode::Kind kind = kinds[chosen % 4];
  const bool protobuf = chosen >= 128 && decode::has_protobuf(kind);
  const auto encoding = protobuf ? decode::Encoding::Protobuf : decode::Encoding::Json;
  const Watched at_once = watched(input, std::max<std::size_t>(input.size(), 1), kind, encoding);
  require(watched(input, piece, kind, encoding) == at_once,
          "events in pieces are the same events, and end where the whole ends");
}

}  // namespace dsdoctor::fuzz
