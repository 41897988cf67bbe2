// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/taints/taint_catalogue.h"

#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "base/glob.h"
#include "decode/objects/known_taints.h"
#include "placement/label_syntax.h"
#include "placement/tolerates.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;
using diagnosis::TaintCatalogue;
using model::KnownTaint;

namespace {

std::vector<KnownTaint> entries() {
  const std::string path = DSDOCTOR_ROOT "/lib/diagnosis/taints/known_taints.yaml";
  auto read = decode::read_known_taints(dsdoctor::testing::read_file(path), path);
  REQUIRE(read);
  return *read;
}

std::string replaced(std::string_view glob, const std::string& star) {
  return std::regex_replace(std::string(glob), std::regex("\\*"), star);
}

/// Taints that the entry describes, with its own effects and sample values.
std::vector<model::Taint> examples(const KnownTaint& known) {
  std::string key = replaced(known.key, "example");
  if (known.match == model::KeyMatch::Prefix) key += "example";
  std::vector<model::Taint> result;
  for (const char* value :
       {"",        "true",     "True", "1601646271",       "edge",  "disrupting", "fake",
        "present", "presence", "up",   "runtime-required", "azure", "vci",        "gvisor",
        "arm64",   "fargate",  "spot", "gateway",          "gpu",   "windows",    "Windows",
        "linux"}) {
    const bool fits = std::ranges::any_of(
        known.values, [&](const model::Text& glob) { return base::matches_glob(glob, value); });
    if (!fits && !known.values.empty()) continue;
    for (const model::Text& effect : known.effects) {
      result.push_back({key, value, effect});
    }
  }
  return result;
}

std::string found_id(const TaintCatalogue& catalogue, const model::Taint& taint,
                     const model::Labels& labels = {}) {
  const KnownTaint* known = catalogue.find(taint, labels);
  return known == nullptr ? "" : known->id.str();
}
std::string found_id(const model::Taint& taint, const model::Labels& labels = {}) {
  return found_id(TaintCatalogue::built_in(), taint, labels);
}

KnownTaint own(const std::string& id, const std::string& key, model::Text effect = "NoSchedule") {
  KnownTaint result;
  result.id = id;
  result.key = key;
  result.effects = {effect};
  result.meaning = "Ours.";
  return result;
}

}  // namespace

TEST_CASE("the built-in table has the entries of known_taints.yaml", "[taints]") {
  const auto of_file = entries();
  const auto of_program = TaintCatalogue::built_in().built_in_entries();
  CHECK(of_file.size() >= 130);
  REQUIRE(of_program.size() == of_file.size());
  for (std::size_t i = 0; i < of_file.size(); ++i) {
    CAPTURE(of_file[i].id.view());
    CHECK(*of_program[i] == of_file[i]);
  }
}

TEST_CASE("every known taint is complete and valid", "[taints]") {
  std::set<std::string> ids;
  for (const KnownTaint& known : entries()) {
    CAPTURE(known.id.view());
    CHECK(ids.insert(known.id.str()).second);
    const std::string key = replaced(known.key, "x");
    const bool folder = known.match == model::KeyMatch::Prefix && key.ends_with('/');
    CHECK(placement::is_label_key(folder ? key + "x" : key));
    CHECK((known.match == model::KeyMatch::Glob) ==
          (known.key.view().find('*') != std::string_view::npos));
    CHECK(known.lifecycle != model::TaintLifecycle::Unknown);
    for (const model::Text* text :
         {&known.set_by, &known.family, &known.advice, &known.auto_condition, &known.confidence}) {
      CHECK_FALSE(text->empty());
    }
    CHECK(known.meaning.view().ends_with('.'));
  }
}

TEST_CASE("every entry is found by a taint that it describes", "[taints]") {
  for (const KnownTaint& known : entries()) {
    CAPTURE(known.id.view());
    const auto taints = examples(known);
    CHECK_FALSE(taints.empty());
    model::Labels labels;
    if (!known.node_label.empty()) labels = {{replaced(known.node_label, "k3s"), "x"}};
    CHECK(std::ranges::any_of(
        taints, [&](const model::Taint& taint) { return found_id(taint, labels) == known.id; }));
  }
}

TEST_CASE("taints that the controller tolerates by itself are marked in the catalogue",
          "[taints]") {
  for (const KnownTaint& known : entries()) {
    for (const model::Text& effect : known.effects) {
      CAPTURE(known.id.view(), effect.view());
      const model::Taint taint{known.key, "", effect};
      const auto automatic = placement::automatic_tolerations(true);
      CHECK(known.auto_tolerated == std::ranges::any_of(automatic, [&](const auto& toleration) {
              return placement::tolerates(toleration, taint, {});
            }));
    }
  }
}

TEST_CASE("a suggested toleration tolerates the taint", "[taints]") {
  for (const KnownTaint& known : entries()) {
    if (!known.suggested) continue;
    CAPTURE(known.id.view());
    CHECK(std::ranges::any_of(examples(known), [&](const model::Taint& taint) {
      const auto toleration = diagnosis::suggested_toleration(known, taint);
      return toleration && placement::tolerates(*toleration, taint, {});
    }));
  }
}

TEST_CASE("a taint of a node condition is known only with Kubernetes' own effect", "[taints]") {
  const TaintCatalogue& known = TaintCatalogue::built_in();
  const auto is_known = [&](const char* effect) {
    return known.find({"node.kubernetes.io/memory-pressure", "", effect}, {}) != nullptr;
  };
  CHECK(is_known("NoSchedule"));
  CHECK_FALSE(is_known("NoExecute"));  // set by hand
  CHECK(is_known(""));                 // from a toleration of every effect
}

TEST_CASE("the best matching entry is found", "[taints]") {
  struct Row {
    model::Taint taint;
    std::string id;
    model::Labels labels = {};
  };
  const model::Labels aks = {{"kubernetes.azure.com/cluster", "x"}};
  const model::Labels eks = {{"eks.amazonaws.com/compute-type", "auto"}};
  const model::Labels k3s = {{"egress.k3s.io/cluster", "true"}};
  const std::string prefix = "ignore-taint.cluster-autoscaler.kubernetes.io/";
  const Row rows[] = {
      {{"node.kubernetes.io/not-ready", "", "NoSchedule"}, "k8s-not-ready-noschedule"},
      {{"node.kubernetes.io/not-ready", "", "NoExecute"}, "k8s-not-ready-noexecute"},
      {{"node.kubernetes.io/memory-contention-pressure", "", "NoSchedule"},
       "k8s-contention-pressure"},
      {{"node.kubernetes.io/contention-pressure", "", "NoSchedule"}, ""},
      {{prefix + "oke-impending-node-termination", "", "NoSchedule"}, "ca-oke-impending"},
      {{prefix + "other", "", "NoSchedule"}, "ca-ignore-taint"},
      {{"ebs.csi.aws.com/agent-not-ready", "", "NoExecute"}, "csi-aws-ebs"},
      {{"other.csi/agent-not-ready", "", "NoExecute"}, "csi-generic-agent-not-ready"},
      {{"dedicated", "edge", "NoSchedule"}, "ibm-dedicated-edge"},
      {{"dedicated", "db", "NoSchedule"}, "dedicated-convention"},
      {{"os", "Windows", "NoSchedule"}, "ocp-windows"},
      {{"os", "windows", "NoSchedule"}, "windows-os-convention"},
      {{"os", "linux", "NoSchedule"}, ""},  // the meaning depends on the value
      {{"kubernetes.io/arch", "amd64", "NoSchedule"}, ""},
      {{"nvidia.com/gpu", "a100", "NoSchedule"}, "nvidia-gpu"},  // the meaning does not
      {{"ToBeDeletedByClusterAutoscaler", "", "NoSchedule"}, "ca-to-be-deleted"},
      {{"CriticalAddonsOnly", "true", "NoSchedule"}, "critical-addons-only"},
      {{"CriticalAddonsOnly", "true", "NoSchedule"}, "aks-system-pool", aks},
      {{"CriticalAddonsOnly", "", "NoSchedule"}, "eks-auto-system-pool", eks},
      {{"CriticalAddonsOnly", "true", "NoExecute"}, "rke2-k3s-critical-addons", k3s},
      {{"CriticalAddonsOnly", "true", "NoSchedule"}, "critical-addons-only", k3s},
      {{"example.com/mine", "", "NoSchedule"}, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.taint.key.view(), row.taint.value.view(), row.taint.effect.view());
    CHECK(found_id(row.taint, row.labels) == row.id);
  }
}

TEST_CASE("the new key of a renamed taint is a known one", "[taints]") {
  std::size_t renamed = 0;
  for (const KnownTaint* known : TaintCatalogue::built_in().built_in_entries()) {
    if (known->renamed_to.empty()) continue;
    ++renamed;
    CAPTURE(known->id.view());
    const bool is_prefix = known->match == model::KeyMatch::Prefix;
    const KnownTaint* present = TaintCatalogue::built_in().find(
        {model::Text(known->renamed_to.str() + (is_prefix ? "x" : "")), "", "NoSchedule"}, {});
    REQUIRE(present != nullptr);
    CHECK(present->key == known->renamed_to);
    CHECK(present->renamed_to.empty());
  }
  CHECK(renamed >= 4);
}

TEST_CASE("entries of users have precedence and later lists come first", "[taints]") {
  KnownTaint only_db = own("db", "dedicated");
  only_db.values = {"db"};
  KnownTaint gpus = own("gpus", "nvidia.com/*");
  gpus.match = model::KeyMatch::Glob;
  KnownTaint long_prefix = own("long", "a/b");
  long_prefix.match = model::KeyMatch::Prefix;
  KnownTaint short_prefix = own("short", "a/");
  short_prefix.match = model::KeyMatch::Prefix;
  const TaintCatalogue catalogue(
      {{only_db, gpus, own("first", "mine"), short_prefix, long_prefix}, {own("second", "mine")}});
  CHECK(found_id(catalogue, {"dedicated", "db", "NoSchedule"}) == "db");
  CHECK(found_id(catalogue, {"dedicated", "db", "NoExecute"}) == "dedicated-convention");
  CHECK(found_id(catalogue, {"dedicated", "web", "NoSchedule"}) == "dedicated-convention");
  CHECK(found_id(catalogue, {"nvidia.com/gpu", "present", "NoSchedule"}) == "gpus");
  CHECK(found_id(catalogue, {"mine", "", "NoSchedule"}) == "second");
  CHECK(found_id(catalogue, {"a/bc", "", "NoSchedule"}) == "long");
  CHECK(found_id(catalogue, {"a/c", "", "NoSchedule"}) == "short");
  CHECK(found_id(catalogue, {"amd.com/gpu", "", "NoSchedule"}) == "amd-gpu");
}

TEST_CASE("<taint-key> is replaced by the key of the taint", "[taints]") {
  const model::Taint taint{"other.csi/agent-not-ready", "", "NoExecute"};
  const KnownTaint* known = TaintCatalogue::built_in().find(taint, {});
  REQUIRE(known != nullptr);
  const auto toleration = diagnosis::suggested_toleration(*known, taint);
  REQUIRE(toleration);
  CHECK(toleration->key == "other.csi/agent-not-ready");
}

TEST_CASE("a taint passes if its lifecycle is known and not permanent", "[taints]") {
  using enum model::TaintLifecycle;
  CHECK_FALSE(diagnosis::passes(nullptr));
  KnownTaint known;
  for (const auto lifecycle : {Unknown, Permanent}) {
    known.lifecycle = lifecycle;
    CHECK_FALSE(diagnosis::passes(&known));
  }
  for (const auto lifecycle : {Transient, Leaving, UntilReady, Maintenance}) {
    known.lifecycle = lifecycle;
    CHECK(diagnosis::passes(&known));
  }
}
