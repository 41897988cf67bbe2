// SPDX-License-Identifier: Apache-2.0
#include "kube/config/connection.h"

namespace dsdoctor::kube {

std::string origin_text(const Connection& connection) {
  return connection.server.scheme + "://" + connection.server.authority();
}

std::string server_text(const Connection& connection) {
  return origin_text(connection) + connection.server.path;
}

}  // namespace dsdoctor::kube
