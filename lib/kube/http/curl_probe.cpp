#include "kube/http/curl_probe.h"

#include <algorithm>
#include <string_view>

#include "base/printable.h"
#include "kube/http/curl_options.h"
#include "kube/os/sigpipe.h"

namespace dsdoctor::kube {
namespace {

/// `DNS:localhost, IP Address:127.0.0.1` -> the names alone.
std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const auto comma = std::min(text.find(", "), text.size());
    const std::string_view entry = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 2, text.size()));
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

}  // namespace

std::optional<CertificateFacts> probe_certificate(const Connection& connection) {
  const SigpipeGuard guard;
  const CurlEasy handle(curl_easy_init());
  if (!handle) return std::nullopt;
  CurlLists lists;
  Connection unverified = connection;
  unverified.tls.insecure = true;
  TransportLimits limits;
  limits.connect = std::chrono::seconds(5);
  if (!configure_connection(handle.get(), unverified, limits, "/", lists)) return std::nullopt;
  (void)curl_easy_setopt(handle.get(), CURLOPT_CONNECT_ONLY, 1L);   // NOLINT(*-vararg)
  (void)curl_easy_setopt(handle.get(), CURLOPT_CERTINFO, 1L);       // NOLINT(*-vararg)
  (void)curl_easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, 5000L);  // NOLINT(*-vararg)
  if (curl_easy_perform(handle.get()) != CURLE_OK) return std::nullopt;
  curl_certinfo* info = nullptr;
  (void)curl_easy_getinfo(handle.get(), CURLINFO_CERTINFO, &info);  // NOLINT(*-vararg)
  if (info == nullptr || info->num_of_certs < 1) return std::nullopt;
  CertificateFacts facts;
  for (const curl_slist* line = info->certinfo[0]; line != nullptr; line = line->next) {
    take_line(facts, line->data);
  }
  return facts;
}

}  // namespace dsdoctor::kube
