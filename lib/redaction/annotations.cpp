#include "redaction/annotations.h"

#include <algorithm>
#include <array>
#include <string>

namespace dsdoctor::redaction {
namespace {

// Annotations whose values decide something. Keys in them stay, as those of labels and taints do.
constexpr std::array selectors = {"scheduler.alpha.kubernetes.io/node-selector",
                                  "openshift.io/node-selector"};
constexpr std::array toleration_lists = {"scheduler.alpha.kubernetes.io/defaultTolerations",
                                         "scheduler.alpha.kubernetes.io/tolerationsWhitelist"};
constexpr std::string_view template_generation = "deprecated.daemonset.template.generation";

bool is_one_of(std::string_view key, const std::array<const char*, 2>& keys) {
  return std::ranges::find(keys, key) != keys.end();
}

/// "pool=web, disk=ssd"
std::string redact_pairs(std::string_view text, Pseudonyms& names) {
  std::string result;
  while (!text.empty()) {
    const std::size_t start = std::min(text.find_first_not_of("= ", text.find('=')), text.size());
    const std::size_t end = std::min(text.find_first_of(", ", start), text.size());
    result += text.substr(0, start);
    result += names.value(model::Text(text.substr(start, end - start))).view();
    text.remove_prefix(end);
  }
  return result;
}

/// [{"key": "dedicated", "value": "web"}]
std::string redact_json_values(std::string_view text, Pseudonyms& names) {
  constexpr std::string_view field = "\"value\"";
  std::string result;
  for (std::size_t at = text.find(field); at != text.npos; at = text.find(field)) {
    std::size_t end = at + field.size();
    const std::size_t open = text.find_first_not_of(" \t\n:", end);
    if (open == text.npos || text[open] != '"') {  // no field, but a value
      result += text.substr(0, end);
    } else {
      end = std::min(text.find('"', open + 1), text.size());
      result += text.substr(0, open + 1);
      result += names.value(model::Text(text.substr(open + 1, end - open - 1))).view();
    }
    text.remove_prefix(end);
  }
  result += text;
  return result;
}

model::Text redacted(std::string_view key, const model::Text& value, Pseudonyms& names) {
  if (is_one_of(key, selectors)) return {redact_pairs(value, names)};
  if (is_one_of(key, toleration_lists)) return {redact_json_values(value, names)};
  if (key == template_generation) return names.value(value);
  return value.empty() ? value : model::Text("redacted");
}

}  // namespace

void redact_annotations(model::Labels& annotations, Pseudonyms& names) {
  std::vector<model::Labels::Entry> entries(annotations.begin(), annotations.end());
  for (auto& [key, value] : entries) value = redacted(key, value, names);
  annotations = model::Labels(std::move(entries));
}

}  // namespace dsdoctor::redaction
