// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace dsdoctor::testing {

/// In PEM.
struct KeyPair {
  std::string certificate;
  std::string key;
};

struct CertificateWish {
  std::string common_name;
  std::vector<std::string> names = {};  // subjectAltName: "DNS:localhost", "IP:127.0.0.1"
  long valid_from = -3600;              // seconds from now
  long valid_until = 24 * 3600L;        // seconds from now
};

/// A certificate authority created at run time; each instance has its own key.
class CertificateAuthority {
 public:
  CertificateAuthority();
  [[nodiscard]] const std::string& certificate() const { return ca_.certificate; }  // PEM
  [[nodiscard]] KeyPair issue(const CertificateWish& wish) const;
  /// A certificate for 127.0.0.1 and localhost.
  [[nodiscard]] KeyPair issue_server() const;
  [[nodiscard]] KeyPair issue_client(const std::string& common_name) const;

 private:
  KeyPair ca_;
};

}  // namespace dsdoctor::testing
