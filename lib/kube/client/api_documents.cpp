#include "kube/client/api_documents.h"

#include <charconv>
#include <nlohmann/json.hpp>

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
  const auto first_dot = git_version.find('.');
  const auto second_dot =
      first_dot == std::string::npos ? first_dot : git_version.find('.', first_dot + 1);
  if (second_dot != std::string::npos) {
    version.patch = leading_number(std::string_view(git_version).substr(second_dot + 1));
  }
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

}  // namespace dsdoctor::kube
