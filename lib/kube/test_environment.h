// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "kube/config/connection.h"
#include "kube/http/transport.h"
#include "kube/os/clock.h"
#include "kube/os/environment.h"
#include "kube/text/base64.h"

namespace dsdoctor::kube {

/// A unique folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "dsdoctor-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& root() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file(path(name));
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    using std::filesystem::perms;
    std::filesystem::permissions(file, perms::owner_read | perms::owner_write);
    return file.string();
  }
  std::string write_script(const std::string& name, const std::string& text) const {
    std::string file = write(name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream stream(path(name));
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  std::string path_;
};

/// A clock that only moves during sleep; records the sleeps.
struct FakeClock {
  base::Time time{std::chrono::seconds(1'800'000'000)};
  std::vector<std::chrono::milliseconds> slept;

  /// REQUIRES: used by one thread; this object outlives the clock.
  Clock clock() {
    return {[this] { return time; },
            [this](std::chrono::milliseconds wait, const std::atomic<bool>&) {
              slept.push_back(wait);
              time += wait;
            },
            {}};
  }
};

/// One answer of the fake transport.
struct FakeAnswer {
  int status = 200;
  std::string body = "{}";
  std::vector<Header> headers = {{"Content-Type", "application/json"}};
  std::optional<TransportFault> fault = std::nullopt;
};

/// Returns its answers in order, and repeats the last one; records the requests.
class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(std::vector<FakeAnswer> answers) : answers_(std::move(answers)) {}

  std::optional<TransportFailure> get(const HttpRequest& request,
                                      const Receiver& receiver) override {
    const FakeAnswer& answer = answers_[std::min(requests.size(), answers_.size() - 1)];
    requests.push_back(request);
    if (answer.fault && *answer.fault != TransportFault::CutBody) return failure(*answer.fault);
    if (!receiver.head({answer.status, answer.headers})) return failure(TransportFault::Stopped);
    // in small pieces, like a network
    for (std::size_t at = 0; at < answer.body.size(); at += 7) {
      if (!receiver.body(std::string_view(answer.body).substr(at, 7))) {
        return failure(TransportFault::Stopped);
      }
    }
    if (answer.fault) return failure(*answer.fault);
    return std::nullopt;
  }

  std::vector<HttpRequest> requests;

 private:
  static TransportFailure failure(TransportFault fault) {
    return {fault, {base::ErrorKind::Unavailable, "", "the wire broke"}};
  }
  std::vector<FakeAnswer> answers_;
};

inline std::string header_of(const HttpRequest& request, const std::string& name) {
  const ResponseHead head{0, request.headers};
  const std::string* value = head.find(name);
  return value == nullptr ? "" : *value;
}

}  // namespace dsdoctor::kube
