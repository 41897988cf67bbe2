// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/config/connection.h"
#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// `kubectl-dsdoctor/v0.1.0 (linux/amd64) kubernetes/unknown`; `version` has no leading v.
/// The format is kubectl's: audit logs and metrics split on it.
[[nodiscard]] std::string user_agent(const std::string& version);

/// Returns the `Impersonate-*` headers; empty without a user.
[[nodiscard]] std::vector<Header> impersonation_headers(const Impersonation& impersonation);

/// The texts of a `Warning` header with code 299; entries that do not parse are skipped.
[[nodiscard]] std::vector<std::string> warning_texts(std::string_view header);

}  // namespace dsdoctor::kube
