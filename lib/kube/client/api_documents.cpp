// SPDX-License-Identifier: Apache-2.0
#include "kube/client/api_documents.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "decode/yaml/yaml_to_json.h"

namespace dsdoctor::kube {
namespace {

using nlohmann::json;

/// The number that the digits at the start form; 0 without digits.
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

/// Parses "1.21.1", with or without a v.
std::optional<model::ServerVersion> version_of(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  model::ServerVersion version;
  version.git_version = "v" + std::string(text);
  const auto parts = base::split(text, ".");
  int* numbers[] = {&version.major, &version.minor, &version.patch};
  for (std::size_t i = 0; i < parts.size() && i < 3; ++i) {
    std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), *numbers[i]);
  }
  return version.major > 0 ? std::optional(version) : std::nullopt;
}

/// Reads status.versions of a ClusterOperator.
std::optional<model::ServerVersion> operand_version(const json& object) {
  const auto versions = json::json_pointer("/status/versions");
  if (!object.is_object() || !object.contains(versions) || !object[versions].is_array()) {
    return std::nullopt;
  }
  for (const json& entry : object[versions]) {
    if (!entry.is_object() || entry.value("name", json()) != "kube-apiserver") continue;
    const json version = entry.value("version", json());
    if (version.is_string()) return version_of(version.get<std::string>());
  }
  return std::nullopt;
}

}  // namespace

std::optional<model::ServerVersion> parse_version(std::string_view body) {
  auto document = json::parse(body, nullptr, false);
  // Support bundles use `info`, `kubectl version -o json` uses `serverVersion`.
  for (const char* part : {"info", "serverVersion"}) {
    if (!document.is_object() || !document.contains(part)) continue;
    json inner = document[part];
    document = std::move(inner);
  }
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

std::optional<model::ServerVersion> noted_version(std::string_view text) {
  if (auto version = parse_version(text); version && !version->git_version.empty()) return version;
  std::vector<model::Warning> ignored;
  const auto documents = decode::yaml_to_json(text, "", ignored);
  if (!documents) return std::nullopt;
  for (const json& document : *documents) {
    if (auto version = operand_version(document)) return version;
  }
  return std::nullopt;
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
