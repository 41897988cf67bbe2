// SPDX-License-Identifier: Apache-2.0
#include "kube/text/certificate.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <chrono>
#include <ctime>
#include <memory>

#include "base/handle.h"

namespace dsdoctor::kube {
namespace {

using Certificate = base::Handle<X509, X509_free>;
using Bio = base::Handle<BIO, BIO_free_all>;
using Key = base::Handle<EVP_PKEY, EVP_PKEY_free>;

constexpr std::string_view begin_certificate = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view end_certificate = "-----END CERTIFICATE-----";

/// Replaces OpenSSL's default, which asks at the terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return -1; }

Bio bytes_of(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// The first certificate; null if there is none, or if it is invalid.
Certificate certificate_in(std::string_view pem) {
  const Bio bio = bytes_of(pem);
  Certificate result(PEM_read_bio_X509(bio.get(), nullptr, &no_passphrase, nullptr));
  if (!result) ERR_clear_error();
  return result;
}

}  // namespace

std::optional<std::string> problem_of_key_pair(const std::string& cert_pem,
                                               const std::string& key_pem) {
  if (cert_pem.find(begin_certificate) == std::string::npos) {
    return "tls: failed to find any PEM data in certificate input";
  }
  if (key_pem.find("PRIVATE KEY-----") == std::string::npos) {
    return "tls: failed to find any PEM data in key input";
  }
  const Certificate certificate = certificate_in(cert_pem);
  if (!certificate) return "tls: failed to parse certificate";
  if (key_pem.find("ENCRYPTED") != std::string::npos) {
    return "tls: failed to parse private key: it is encrypted, which is not supported; decrypt it "
           "with `openssl pkey -in KEY -out NEW`";
  }
  const Bio bio = bytes_of(key_pem);
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, &no_passphrase, nullptr));
  ERR_clear_error();
  if (!key) return "tls: failed to parse private key";
  const bool fit = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!fit) return "tls: private key does not match public key";
  return std::nullopt;
}

std::vector<std::string_view> certificate_blocks(std::string_view pem) {
  std::vector<std::string_view> result;
  for (;;) {
    const auto begin = pem.find(begin_certificate);
    if (begin == std::string_view::npos) return result;
    const auto end = pem.find(end_certificate, begin);
    if (end == std::string_view::npos) return result;
    result.push_back(pem.substr(begin, end + end_certificate.size() - begin));
    pem.remove_prefix(end + end_certificate.size());
  }
}

std::vector<std::string> readable_certificates(std::string_view pem) {
  std::vector<std::string> result;
  for (const std::string_view block : certificate_blocks(pem)) {
    // a truncated block is followed by another BEGIN line
    const std::string_view last = block.substr(block.rfind(begin_certificate));
    if (certificate_in(last)) result.emplace_back(last);
  }
  return result;
}

std::optional<base::Time> expiry_of(const std::string& pem) {
  const Certificate certificate = certificate_in(pem);
  std::tm fields{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &fields) != 1) {
    return std::nullopt;
  }
  const auto day = std::chrono::year(fields.tm_year + 1900) / (fields.tm_mon + 1) / fields.tm_mday;
  return base::Time(std::chrono::sys_days(day)) + std::chrono::hours(fields.tm_hour) +
         std::chrono::minutes(fields.tm_min) + std::chrono::seconds(fields.tm_sec);
}

}  // namespace dsdoctor::kube
