// SPDX-License-Identifier: Apache-2.0
#include "serve/http_server.h"

namespace dsdoctor::cmd {

base::Result<std::unique_ptr<HttpServer>> HttpServer::listen(const ListenAddress& /*at*/,
                                                             Handler /*handler*/,
                                                             HttpLimits /*limits*/) {
  return base::usage_error("serve is not available on Windows: run it in the cluster");
}

}  // namespace dsdoctor::cmd
