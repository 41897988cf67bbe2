// SPDX-License-Identifier: Apache-2.0
#include "testing/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <memory>

#include "testing/openssl_handles.h"
#include "testing/require.h"

namespace dsdoctor::testing {
namespace {

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string to_pem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_X509(bio.get(), certificate) == 1, "cannot write a certificate");
  return text_of(bio.get());
}

std::string to_pem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
          "cannot write a key");
  return text_of(bio.get());
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  require(extension != nullptr, "cannot make an extension");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate blank(const CertificateWish& wish, EVP_PKEY* key) {
  static std::atomic<long> serial = 1;
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), wish.valid_from);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), wish.valid_until);
  X509_set_pubkey(certificate.get(), key);
  // NOLINTNEXTLINE(*-reinterpret-cast): OpenSSL's type for text
  const auto* name = reinterpret_cast<const unsigned char*>(wish.common_name.c_str());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8, name,
                             -1, -1, 0);
  return certificate;
}

}  // namespace

CertificateAuthority::CertificateAuthority() {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = blank({"test CA", {}}, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  add_extension(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate.get(), certificate.get(), NID_subject_key_identifier, "hash");
  require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0, "cannot sign");
  ca_ = {to_pem(certificate.get()), to_pem(key.get())};
}

KeyPair CertificateAuthority::issue(const CertificateWish& wish) const {
  const Certificate ca(
      PEM_read_bio_X509(reading(ca_.certificate).get(), nullptr, nullptr, nullptr));
  const Key ca_key(PEM_read_bio_PrivateKey(reading(ca_.key).get(), nullptr, nullptr, nullptr));
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = blank(wish, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(ca.get()));
  std::string names;
  for (const std::string& name : wish.names) names += (names.empty() ? "" : ",") + name;
  if (!names.empty()) add_extension(certificate.get(), ca.get(), NID_subject_alt_name, names);
  require(X509_sign(certificate.get(), ca_key.get(), EVP_sha256()) > 0, "cannot sign");
  return {to_pem(certificate.get()), to_pem(key.get())};
}

KeyPair CertificateAuthority::issue_server() const {
  return issue({"test server", {"IP:127.0.0.1", "DNS:localhost", "DNS:api.test.invalid"}});
}

KeyPair CertificateAuthority::issue_client(const std::string& common_name) const {
  return issue({common_name, {}});
}

}  // namespace dsdoctor::testing
