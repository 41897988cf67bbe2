// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/missing_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

struct Mountable {
  std::string_view kind;
  std::string_view volume;                      // volume type of this object
  std::array<std::string_view, 2> before_name;  // of a missing object
  std::string_view before_path;                 // of an object with a missing key
};

constexpr std::array mountables = {
    Mountable{"ConfigMap", "configMap", {"configmap \"", "configmaps \""}, " in ConfigMap "},
    Mountable{"Secret", "secret", {"secret \"", "secrets \""}, " in Secret "},
};

/// The text between `words` and the first of `ends`; empty if `words` does not occur.
std::string_view after(std::string_view text, std::string_view words, std::string_view ends) {
  const std::size_t at = text.find(words);
  if (at == text.npos) return {};
  text.remove_prefix(at + words.size());
  return text.substr(0, text.find_first_of(ends));
}

std::string_view name_in(std::string_view text, const Mountable& mountable) {
  for (const std::string_view words : mountable.before_name) {
    const std::string_view name = after(text, words, "\"");
    if (!name.empty()) return name;
  }
  const std::string_view path = after(text, mountable.before_path, " ,;");
  return path.substr(path.find('/') + 1);  // strips the namespace
}

/// The word before `"name" not found`, whose closing quote is at `quote`: "secret".
std::string kind_before(std::string_view text, std::size_t quote) {
  const std::size_t open = text.substr(0, quote).rfind('"');
  if (open == text.npos) return {};
  const std::string_view before = base::trimmed(text.substr(0, open), " \\");
  return base::lower_case(before.substr(before.find_last_of(" [(,:") + 1));
}

}  // namespace

bool is_missing_object(std::string_view text) {
  constexpr std::string_view words = "\" not found";
  constexpr std::string_view provider_class = "secretproviderclass";
  if (mentions_any(text, {"references non-existent", "couldn't find key"})) return true;
  for (std::size_t at = 0; (at = text.find(words, at)) != text.npos; at += words.size()) {
    const std::string kind = kind_before(text, at);
    if (kind.starts_with(provider_class) ||
        is_one_of(kind, {"secret", "secrets", "configmap", "configmaps", "serviceaccount",
                         "serviceaccounts", "persistentvolumeclaim", "persistentvolumeclaims"})) {
      return true;
    }
  }
  return false;
}

std::string missing_object(std::string_view text) {
  for (const Mountable& each : mountables) {
    const std::string_view name = name_in(text, each);
    if (!name.empty()) return fmt::format("{}/{}", each.kind, name);
  }
  return {};
}

std::string mounted_object(const model::PodSpec& spec, std::string_view volume) {
  const auto at =
      std::ranges::find(spec.volumes, volume, [](const auto& each) { return each.name.view(); });
  if (at == spec.volumes.end() || at->source.empty()) return {};
  const auto* of = std::ranges::find(mountables, at->kind.view(), &Mountable::volume);
  return of == mountables.end() ? std::string() : fmt::format("{}/{}", of->kind, at->source.view());
}

}  // namespace dsdoctor::diagnosis
