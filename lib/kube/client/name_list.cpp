#include "kube/client/name_list.h"

namespace dsdoctor::kube {

std::optional<NamePage> read_names(Client& client, const NameListRequest& request) {
  GetRequest get;
  get.path = request.path;
  get.resource = request.resource;
  get.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
  if (request.page_size > 0) get.query.emplace_back("limit", std::to_string(request.page_size));
  if (!request.token.empty()) get.query.emplace_back("continue", request.token);
  std::string body;
  if (client.get_text(get, body)) return std::nullopt;
  return parse_names(body);
}

}  // namespace dsdoctor::kube
