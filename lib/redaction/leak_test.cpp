// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <map>
#include <set>

#include "decode/cluster/snapshot.h"
#include "redaction/redact.h"
#include "redaction/test_texts.h"

using namespace dsdoctor;

namespace {

/// A word that occurs nowhere else, "zqaaab"; all have the same length.
std::string canary(std::size_t number) {
  std::string letters(4, 'a');
  for (auto at = letters.rbegin(); at != letters.rend(); ++at, number /= 26) {
    *at = static_cast<char>('a' + number % 26);
  }
  return "zq" + letters;
}

/// Canaries and the fields that they are in.
using Canaries = std::map<std::string, std::string>;

/// A cluster with a canary in each text, also in its source, omissions and warnings.
redaction::Redacted cluster_of(Canaries& canaries) {
  redaction::Redacted result;
  redaction::testing::Filler filler([&](const std::string& path) {
    return canaries.try_emplace(canary(canaries.size()), path).first->first;
  });
  filler.fill(result.cluster, "");
  filler.fill(result.source, "source");
  filler.fill(result.omissions, "omissions");
  filler.fill(result.warnings, "warnings");
  for (const auto flag :
       {&model::Known::events, &model::Known::namespaces, &model::Known::resource_quotas,
        &model::Known::limit_ranges, &model::Known::priority_classes,
        &model::Known::runtime_classes, &model::Known::service_accounts, &model::Known::claims,
        &model::Known::storage_classes, &model::Known::csi_nodes, &model::Known::device_classes,
        &model::Known::disruption_budgets, &model::Known::pod_groups, &model::Known::leases,
        &model::Known::roles}) {
    result.cluster.known.*flag = true;
  }
  return result;
}

std::string bytes_of(const redaction::Redacted& saved) {
  decode::SnapshotHead head;
  head.source = saved.source;
  head.omissions = saved.omissions;
  head.warnings = saved.warnings;
  head.scope = decode::scope_of(saved.cluster);
  std::string bytes;
  const auto written =
      decode::write_snapshot(head, saved.cluster, [&](std::string_view piece) -> base::Status {
        bytes += piece;
        return std::monostate{};
      });
  REQUIRE(written);
  std::ranges::transform(bytes, bytes.begin(), [](unsigned char c) { return std::tolower(c); });
  return bytes;
}

/// The original fields of all canaries that are readable in `bytes`.
std::set<std::string> readable(const Canaries& canaries, const std::string& bytes) {
  std::set<std::string> result;
  for (const auto& [word, path] : canaries) {
    if (bytes.find(word) != std::string::npos) result.insert(path);
  }
  return result;
}

bool is_text(const std::string& path) {
  return path.ends_with(".message") || path.ends_with(".what") || path.ends_with(".consequence");
}

/// Reports whether a field is replaced as a whole, and no other field should contain its words.
bool stands_alone(const std::string& path) {
  if (path.find(".default_tolerations.") != path.npos) return true;  // parsed from an annotation
  return path.ends_with(".uid") || path.ends_with(".host_ip") || path.starts_with("source.") ||
         path.find(".annotations.") != path.npos || path.find(".edits.") != path.npos ||
         path == ".events.meta.name" || path == "warnings.where";
}

}  // namespace

TEST_CASE("no field keeps a word that is not well known", "[redaction]") {
  Canaries canaries;
  const redaction::Redacted original = cluster_of(canaries);
  REQUIRE(readable(canaries, bytes_of(original)).size() > 600);
  const auto left = readable(canaries, bytes_of(redaction::redact(original)));
  CHECK(left == std::set<std::string>{});
}

TEST_CASE("a name is found in texts in quotes and between dashes and in capitals", "[redaction]") {
  Canaries canaries;
  redaction::Redacted original = cluster_of(canaries);
  std::string names;
  for (const auto& [word, path] : canaries) {
    if (stands_alone(path)) continue;
    std::string capitals = word;
    std::ranges::transform(capitals, capitals.begin(),
                           [](unsigned char c) { return std::toupper(c); });
    names += fmt::format("{0} \"{0}\" kube-{0}-suffix {1} x/{0}:1, ", word, capitals);
  }
  redaction::testing::Filler filler(
      [&](const std::string& path) { return is_text(path) ? names : "x"; });
  redaction::Redacted texts;
  filler.fill(texts.cluster, "");
  original.cluster.events.push_back(texts.cluster.events.front());
  original.cluster.nodes.front().conditions = texts.cluster.nodes.front().conditions;
  for (model::Pod& pod : original.cluster.pods) {
    model::Pod& from = texts.cluster.pods.front();
    pod.message = from.message;
    pod.conditions = from.conditions;
    pod.statuses.push_back(from.statuses.front());
    pod.init_statuses.push_back(from.init_statuses.front());
  }
  original.omissions.front().consequence = names;
  original.omissions.front().message = names;
  original.warnings.front().what = names;
  CHECK(readable(canaries, bytes_of(redaction::redact(original))) == std::set<std::string>{});
}
