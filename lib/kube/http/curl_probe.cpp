// SPDX-License-Identifier: Apache-2.0
#include "kube/http/curl_probe.h"

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "kube/http/curl_options.h"
#include "kube/os/sigpipe.h"

namespace dsdoctor::kube {
namespace {

/// Parses `DNS:localhost, IP Address:127.0.0.1` into the names alone.
std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view entry : base::split(text, ", ")) {
    if (const auto colon = entry.find(':'); colon != std::string_view::npos) {
      names.push_back(base::printable(entry.substr(colon + 1), 253));
    }
  }
  return names;
}

void take_line(CertificateFacts& facts, std::string_view line) {
  const auto value_of = [&](std::string_view key) -> std::optional<std::string_view> {
    if (!line.starts_with(key)) return std::nullopt;
    return line.substr(key.size());
  };
  if (const auto from = value_of("Start date:")) facts.not_before = base::printable(*from, 64);
  if (const auto until = value_of("Expire date:")) facts.not_after = base::printable(*until, 64);
  if (const auto issuer = value_of("Issuer:")) facts.issuer = base::printable(*issuer, 256);
  if (const auto names = value_of("X509v3 Subject Alternative Name:")) {
    facts.names = split_names(*names);
  }
}

/// A connection that is opened without a request.
class Probe {
 public:
  explicit Probe(const Connection& connection)
      : unverified_(connection), handle_(curl_easy_init()) {
    if (!handle_) return;
    unverified_.tls.insecure = true;
    TransportLimits limits;
    limits.connect = std::chrono::seconds(5);
    if (!configure_connection(handle_.get(), unverified_, limits, "/", lists_)) {
      handle_.reset();
      return;
    }
    set(CURLOPT_CONNECT_ONLY, 1L);
    set(CURLOPT_TIMEOUT_MS, 5000L);
  }
  /// Null if it could not be created.
  [[nodiscard]] CURL* handle() const { return handle_.get(); }

  template <typename Value>
  void set(CURLoption option, Value value) {
    (void)curl_easy_setopt(handle_.get(), option, value);  // NOLINT(*-vararg)
  }
  void report_records() { lists_.reports_records = true; }
  [[nodiscard]] bool opens() {
    const SigpipeGuard guard;
    return curl_easy_perform(handle_.get()) == CURLE_OK;
  }

 private:
  Connection unverified_;  // referenced by the handle, like the lists
  CurlLists lists_;
  CurlEasy handle_;
};

/// Keeps the first bytes that the server sends, before any TLS: libcurl reports the head of each
/// record, and the first record begins with these bytes.
int take_first_record(CURL* /*handle*/, curl_infotype type, char* data, std::size_t size,
                      void* record) {
  auto& first = *static_cast<std::string*>(record);
  if (type == CURLINFO_SSL_DATA_IN && first.empty()) first.assign(data, size);
  return 0;
}

}  // namespace

std::optional<CertificateFacts> probe_certificate(const Connection& connection) {
  Probe probe(connection);
  if (probe.handle() == nullptr) return std::nullopt;
  probe.set(CURLOPT_CERTINFO, 1L);
  if (!probe.opens()) return std::nullopt;
  curl_certinfo* info = nullptr;
  (void)curl_easy_getinfo(probe.handle(), CURLINFO_CERTINFO, &info);  // NOLINT(*-vararg)
  if (info == nullptr || info->num_of_certs < 1) return std::nullopt;
  CertificateFacts facts;
  for (const curl_slist* line = info->certinfo[0]; line != nullptr; line = line->next) {
    take_line(facts, line->data);
  }
  return facts;
}

bool answers_in_plain_http(const Connection& connection) {
  Probe probe(connection);
  if (probe.handle() == nullptr) return false;
  std::string first_record;
  probe.report_records();
  probe.set(CURLOPT_VERBOSE, 1L);
  probe.set(CURLOPT_DEBUGFUNCTION, &take_first_record);
  probe.set(CURLOPT_DEBUGDATA, static_cast<void*>(&first_record));
  return !probe.opens() && first_record.starts_with("HTTP/");
}

}  // namespace dsdoctor::kube
