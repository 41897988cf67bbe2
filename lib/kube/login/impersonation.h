#pragma once

#include <vector>

#include "kube/config/connection.h"
#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// `Impersonate-*` headers; none without a user.
[[nodiscard]] std::vector<Header> impersonation_headers(const Impersonation& impersonation);

}  // namespace dsdoctor::kube
