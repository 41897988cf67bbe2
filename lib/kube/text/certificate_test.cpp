// SPDX-License-Identifier: Apache-2.0
#include "kube/text/certificate.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <catch2/catch.hpp>
#include <memory>

#include "testing/certificates.h"

namespace dsdoctor::kube {
namespace {

using testing::CertificateAuthority;
using testing::KeyPair;

/// The same key with a passphrase: as PKCS#8, or in the older form with a Proc-Type header.
std::string encrypted(const std::string& key_pem, bool older) {
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> in(
      BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size())), &BIO_free_all);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  REQUIRE(key);
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> out(BIO_new(BIO_s_mem()), &BIO_free_all);
  unsigned char passphrase[] = "secret";
  const int written =
      older ? PEM_write_bio_PrivateKey_traditional(out.get(), key.get(), EVP_aes_128_cbc(),
                                                   passphrase, 6, nullptr, nullptr)
            : PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), EVP_aes_128_cbc(), "secret", 6,
                                            nullptr, nullptr);
  REQUIRE(written == 1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

TEST_CASE("a client certificate has to match its key", "[certificate][row 43]") {
  const CertificateAuthority ca;
  const KeyPair mine = ca.issue_client("me");
  CHECK(problem_of_key_pair(mine.certificate, mine.key) == std::nullopt);
  CHECK(problem_of_key_pair(ca.certificate() + mine.certificate, mine.key) ==
        "tls: private key does not match public key");  // only the first one is compared
  CHECK(problem_of_key_pair(mine.certificate, ca.issue_client("you").key) ==
        "tls: private key does not match public key");
  CHECK(problem_of_key_pair(mine.key, mine.key) ==
        "tls: failed to find any PEM data in certificate input");
  CHECK(problem_of_key_pair(mine.certificate, mine.certificate) ==
        "tls: failed to find any PEM data in key input");
  CHECK(problem_of_key_pair(mine.certificate,
                            "-----BEGIN PRIVATE KEY-----\nYQ==\n-----END PRIVATE KEY-----\n") ==
        "tls: failed to parse private key");
  CHECK(problem_of_key_pair("-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n",
                            mine.key) == "tls: failed to parse certificate");
}

TEST_CASE("an encrypted key is an error", "[certificate]") {
  const CertificateAuthority ca;
  const KeyPair mine = ca.issue_client("me");
  for (const bool older : {false, true}) {
    CAPTURE(older);
    const auto problem = problem_of_key_pair(mine.certificate, encrypted(mine.key, older));
    REQUIRE(problem);
    CHECK_THAT(*problem, Catch::StartsWith("tls: failed to parse private key: it is encrypted"));
  }
}

TEST_CASE("a broken certificate in a bundle is skipped", "[certificate]") {
  const std::string first = CertificateAuthority().certificate();
  const std::string second = CertificateAuthority().certificate();
  const std::string broken = "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n";
  const std::string cut = first.substr(0, first.size() / 2) + "\n";
  const KeyPair key = CertificateAuthority().issue_client("x");
  for (const std::string& bundle :
       {first + broken + second, broken + first + second, first + cut + second,
        "a comment\n" + first + key.key + second + "-----BEGIN CERTIFICATE-----\n"}) {
    CAPTURE(bundle);
    CHECK(readable_certificates(bundle).size() == 2);
  }
  CHECK(readable_certificates(broken).empty());
  CHECK(readable_certificates("").empty());
}

}  // namespace
}  // namespace dsdoctor::kube
