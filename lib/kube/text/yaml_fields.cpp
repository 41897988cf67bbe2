// SPDX-License-Identifier: Apache-2.0
#include "kube/text/yaml_fields.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/printable.h"
#include "decode/yaml/yaml_scalar.h"
#include "kube/text/base64.h"

namespace dsdoctor::kube {
namespace {

constexpr std::ptrdiff_t max_entries = 500'000;

base::Error yaml_error(std::string what) {
  return {base::ErrorKind::Malformed, "", std::move(what)};
}

/// An upper bound of the nodes in a text: each needs a line or a flow character.
std::ptrdiff_t entries_at_most(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return c == '\n' || c == ',' || c == '[' || c == '{'; });
}

constexpr int max_merge_depth = 16;
constexpr int max_json_depth = 64;
constexpr int max_json_nodes = 10'000;

bool is_quoted(const YAML::Node& node) { return node.Tag() == "!"; }

std::optional<bool> to_boolean(const YAML::Node& node) {
  constexpr std::array<std::string_view, 11> yes{"true", "True", "TRUE", "yes", "Yes", "YES",
                                                 "on",   "On",   "ON",   "y",   "Y"};
  constexpr std::array<std::string_view, 11> no{"false", "False", "FALSE", "no", "No", "NO",
                                                "off",   "Off",   "OFF",   "n",  "N"};
  if (!node.IsScalar() || is_quoted(node)) return std::nullopt;
  const std::string_view word = node.Scalar();
  if (std::ranges::find(yes, word) != yes.end()) return true;
  if (std::ranges::find(no, word) != no.end()) return false;
  return std::nullopt;
}

std::optional<YAML::Node> find_in(const YAML::Node& node, std::string_view key, int depth);

/// The value in a mapping that is merged, or in the first of a list of them that has the key.
std::optional<YAML::Node> find_merged(const YAML::Node& merged, std::string_view key, int depth) {
  if (!merged.IsSequence()) return find_in(merged, key, depth);
  for (const auto& source : merged) {
    if (auto value = find_in(source, key, depth)) return value;
  }
  return std::nullopt;
}

std::optional<YAML::Node> find_in(const YAML::Node& node, std::string_view key, int depth) {
  if (!node.IsMap() || depth > max_merge_depth) return std::nullopt;
  // The last of several wins, also if it is merged. They are collected, because assigning a
  // YAML::Node to another one changes the node that the other one refers to.
  std::vector<std::pair<YAML::Node, bool>> found;  // the value; is it merged?
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) continue;
    const bool merges = entry.first.Scalar() == "<<" && !is_quoted(entry.first);
    if (merges || entry.first.Scalar() == key) found.emplace_back(entry.second, merges);
  }
  for (std::size_t i = found.size(); i > 0; --i) {
    const auto& [value, merges] = found[i - 1];
    if (!merges) return value;
    if (auto inner = find_merged(value, key, depth + 1)) return inner;
  }
  return std::nullopt;
}

struct JsonBudget {
  int nodes = 0;
  bool exceeded = false;
};

nlohmann::json scalar_to_json(const YAML::Node& node) {
  const bool tagged = !node.Tag().empty() && node.Tag() != "?";
  if (tagged && !decode::is_typed_by_content(node.Tag())) return node.Scalar();
  return decode::plain_scalar(node.Scalar());
}

nlohmann::json convert(const YAML::Node& node, int depth, JsonBudget& budget) {
  if (++budget.nodes > max_json_nodes || depth > max_json_depth) budget.exceeded = true;
  if (budget.exceeded) return {};
  if (node.IsScalar()) return scalar_to_json(node);
  if (node.IsSequence()) {
    auto list = nlohmann::json::array();
    for (const auto& item : node) list.push_back(convert(item, depth + 1, budget));
    return list;
  }
  if (!node.IsMap()) return {};
  auto object = nlohmann::json::object();
  for (const auto& entry : node) {
    if (!entry.first.IsScalar() || budget.exceeded) continue;
    object[entry.first.Scalar()] = convert(entry.second, depth + 1, budget);
  }
  return object;
}

}  // namespace

base::Result<YAML::Node> first_yaml_document(std::string_view text) {
  if (!base::is_utf8_text(text)) return yaml_error("yaml: it is not valid UTF-8");
  if (entries_at_most(text) > max_entries) {
    return yaml_error(fmt::format("yaml: it has more than {} entries", max_entries));
  }
  try {
    return YAML::Load(std::string(text));
  } catch (const YAML::DeepRecursion& e) {
    return yaml_error(fmt::format("yaml: line {}: nested too deeply", e.mark.line + 1));
  } catch (const YAML::Exception& e) {  // yaml-cpp's exceptions are converted here
    return yaml_error(fmt::format("yaml: line {}: {}", e.mark.line + 1, e.msg));
  }
}

std::vector<std::string_view> split_yaml_documents(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (;;) {
    const auto mark = text.find("\n---", begin);
    if (mark == std::string_view::npos) break;
    parts.push_back(text.substr(begin, mark + 1 - begin));
    begin = mark + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

YamlFields::YamlFields(const YAML::Node& node, std::string path, std::vector<std::string>& problems)
    : node_(node), path_(std::move(path)), problems_(&problems) {
  if (!node_.IsMap() && !node_.IsNull()) {
    problems_->push_back(fmt::format("{}: must be a mapping", path_.empty() ? "." : path_));
  }
}

std::optional<YAML::Node> YamlFields::find(std::string_view key) const {
  auto found = find_in(node_, key, 0);
  if (found && found->IsNull()) found.reset();
  return found;
}

std::string YamlFields::text(std::string_view key) {
  const auto value = find(key);
  if (!value) return {};
  if (value->IsScalar()) return value->Scalar();
  problem(key, "must be a string");
  return {};
}

bool YamlFields::boolean(std::string_view key) {
  const auto value = find(key);
  if (!value) return false;
  if (const auto parsed = to_boolean(*value)) return *parsed;
  problem(key, "must be true or false, without quotes");
  return false;
}

std::string YamlFields::base64(std::string_view key) {
  if (auto bytes = decode_base64(text(key))) return std::move(*bytes);
  problem(key, "is not valid base64");
  return {};
}

std::vector<std::string> YamlFields::texts(std::string_view key) {
  std::vector<std::string> result;
  const auto value = find(key);
  if (!value) return result;
  if (!value->IsSequence()) {
    problem(key, "must be a list of strings");
    return result;
  }
  for (const auto& item : *value) {
    if (item.IsScalar()) {
      result.push_back(item.Scalar());
    } else {
      problem(fmt::format("{}[{}]", key, result.size()), "must be a string");
      return result;
    }
  }
  return result;
}

void YamlFields::for_each(std::string_view key, const std::function<void(YamlFields&)>& each) {
  const auto value = find(key);
  if (!value) return;
  if (!value->IsSequence()) return problem(key, "must be a list");
  std::size_t index = 0;
  for (const auto& item : *value) {
    YamlFields fields(item, fmt::format("{}[{}]", path_of(key), index++), *problems_);
    each(fields);
  }
}

void YamlFields::for_each_entry(
    std::string_view key, const std::function<void(const std::string&, const YAML::Node&)>& each) {
  const auto value = find(key);
  if (!value) return;
  if (!value->IsMap()) return problem(key, "must be a mapping");
  for (const auto& entry : *value) {
    if (entry.first.IsScalar()) each(entry.first.Scalar(), entry.second);
  }
}

std::optional<YamlFields> YamlFields::fields(std::string_view key) {
  const auto value = find(key);
  if (!value) return std::nullopt;
  return YamlFields(*value, path_of(key), *problems_);
}

void YamlFields::problem(std::string_view key, std::string_view what) {
  problems_->push_back(fmt::format("{}: {}", path_of(key), what));
}

std::string YamlFields::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

std::optional<nlohmann::json> to_json(const YAML::Node& node) {
  JsonBudget budget;
  auto json = convert(node, 0, budget);
  if (budget.exceeded) return std::nullopt;
  return json;
}

}  // namespace dsdoctor::kube
