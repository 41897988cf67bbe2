// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// Returns the certificates that verify a server without a CA of its own, as PEM: the first bundle
/// that can be read and every file of the certificate folders, each certificate once. SSL_CERT_FILE
/// and SSL_CERT_DIR replace the default places, none of which a static libcurl knows.
/// Source of truth: Go's crypto/x509, root_unix.go and root_linux.go.
[[nodiscard]] std::string system_roots(const Environment& environment);

}  // namespace dsdoctor::kube
