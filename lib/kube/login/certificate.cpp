#include "kube/login/certificate.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>

namespace dsdoctor::kube {
namespace {

template <auto free_function>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    free_function(object);
  }
};
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;

constexpr std::string_view begin_certificate = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view end_certificate = "-----END CERTIFICATE-----";

/// OpenSSL's own would ask at the terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return -1; }

Bio bytes_of(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// The first one; null where there is none, or it cannot be read.
Certificate certificate_in(std::string_view pem) {
  const Bio bio = bytes_of(pem);
  Certificate result(PEM_read_bio_X509(bio.get(), nullptr, &no_passphrase, nullptr));
  if (!result) ERR_clear_error();
  return result;
}

bool has_alternative_name(const X509* certificate) {
  const Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  if (!names) return false;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const int type = sk_GENERAL_NAME_value(names.get(), i)->type;
    if (type == GEN_DNS || type == GEN_IPADD) return true;
  }
  return false;
}

/// After OpenSSL's own checks of one certificate of the chain.
int on_verified(int good, X509_STORE_CTX* chain) {
  if (good != 1 || X509_STORE_CTX_get_error_depth(chain) != 0) return good;
  if (has_alternative_name(X509_STORE_CTX_get_current_cert(chain))) return good;
  X509_STORE_CTX_set_error(chain, X509_V_ERR_HOSTNAME_MISMATCH);
  return 0;
}

/// Called for every TLS connection that libcurl sets up, after it has set the verification mode.
CURLcode on_tls_context(CURL* /*handle*/, void* context, void* started) {
  *static_cast<bool*>(started) = true;
  auto* tls = static_cast<SSL_CTX*>(context);
  const int mode = SSL_CTX_get_verify_mode(tls);
  if (mode != SSL_VERIFY_NONE) SSL_CTX_set_verify(tls, mode, &on_verified);
  return CURLE_OK;
}

}  // namespace

bool require_alternative_names(CURL* handle, bool& started) {
  (void)curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, &started);  // NOLINT(*-vararg)
  // NOLINTNEXTLINE(*-vararg)
  return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, &on_tls_context) == CURLE_OK;
}

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

std::vector<std::string> readable_certificates(std::string_view pem) {
  std::vector<std::string> result;
  for (;;) {
    const auto begin = pem.find(begin_certificate);
    if (begin == std::string_view::npos) return result;
    const auto end = pem.find(end_certificate, begin);
    if (end == std::string_view::npos) return result;
    const std::string_view block = pem.substr(begin, end + end_certificate.size() - begin);
    pem.remove_prefix(end + end_certificate.size());
    // a block that was cut off begins anew within itself
    const auto inner = block.rfind(begin_certificate);
    if (certificate_in(block.substr(inner))) result.emplace_back(block.substr(inner));
  }
}

std::optional<TimePoint> expiry_of(const std::string& pem) {
  const Certificate certificate = certificate_in(pem);
  std::tm fields{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &fields) != 1) {
    return std::nullopt;
  }
  return TimePoint(std::chrono::seconds(::timegm(&fields)));
}

}  // namespace dsdoctor::kube
