#include "kube/certificate.h"

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
using Names = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;

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

std::optional<TimePoint> expiry_of(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  std::tm fields{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &fields) != 1) {
    return std::nullopt;
  }
  return TimePoint(std::chrono::seconds(::timegm(&fields)));
}

}  // namespace dsdoctor::kube
