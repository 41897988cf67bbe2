#include "kube/client/api_documents.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace dsdoctor::kube {
namespace {

using nlohmann::json;

/// The digits at the start; 0 without any.
int leading_number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string string_at(const json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

}  // namespace

std::optional<model::ServerVersion> parse_version(std::string_view body) {
  const auto document = json::parse(body, nullptr, false);
  const std::string git_version = string_at(document, "gitVersion");
  const std::string major = string_at(document, "major");
  if (git_version.empty() && major.empty()) return std::nullopt;
  model::ServerVersion version;
  version.major = leading_number(major);
  version.minor = leading_number(string_at(document, "minor"));
  version.git_version = git_version;
  const auto parts = base::split(git_version, ".");
  if (parts.size() > 2) version.patch = leading_number(parts[2]);
  return version;
}

NamePage parse_names(std::string_view body) {
  NamePage page;
  const auto list = json::parse(body, nullptr, false);
  if (!list.is_object()) return page;
  const auto items = list.find("items");
  if (items != list.end() && items->is_array()) {
    for (const json& item : *items) {
      if (!item.is_object() || !item.contains("metadata")) continue;
      std::string name = string_at(item["metadata"], "name");
      if (!name.empty()) {
        page.names.emplace_back(string_at(item["metadata"], "namespace"), std::move(name));
      }
    }
  }
  if (list.contains("metadata")) page.continue_token = string_at(list["metadata"], "continue");
  return page;
}

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
