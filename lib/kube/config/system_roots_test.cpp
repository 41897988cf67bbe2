// SPDX-License-Identifier: Apache-2.0
#include "kube/config/system_roots.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "kube/test_environment.h"
#include "kube/text/certificate.h"
#include "testing/certificates.h"

namespace dsdoctor::kube {
namespace {

std::string certificate() { return testing::CertificateAuthority().certificate(); }

TEST_CASE("SSL_CERT_FILE and SSL_CERT_DIR are read like in Go", "[system_roots][row 93]") {
  const TemporaryFolder folder;
  const std::string first = certificate();
  const std::string second = certificate();
  const std::string bundle = folder.write("bundle", first);
  std::filesystem::create_directories(folder.path("a"));
  std::filesystem::create_directories(folder.path("b/below"));
  folder.write("a/any-name", second);  // OpenSSL would expect a hash as the name
  folder.write("a/again", first);
  folder.write("a/broken", "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n");
  folder.write("a/readme", "no certificate");
  folder.write("b/below/c", certificate());  // subfolders are not read
  std::filesystem::create_symlink("any-name", folder.path("a/0123abcd.0"));
  Environment environment;
  const auto count = [&] { return readable_certificates(system_roots(environment)).size(); };

  environment.variables = {{"SSL_CERT_FILE", bundle}, {"SSL_CERT_DIR", folder.path("b")}};
  CHECK(count() == 1);
  environment.variables["SSL_CERT_DIR"] = folder.path("b") + ":" + folder.path("a");
  CHECK(count() == 2);  // without duplicates
  environment.variables["SSL_CERT_FILE"] = "/nope";
  CHECK(count() == 2);
  environment.variables["SSL_CERT_DIR"] = "/nope:/neither";
  CHECK(count() == 0);
}

}  // namespace
}  // namespace dsdoctor::kube
