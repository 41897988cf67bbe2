// SPDX-License-Identifier: Apache-2.0

// Only a complete list shows that an object does not exist.
#include "decode/listed/listed_kinds.h"

#include <catch2/catch.hpp>

#include "decode/cluster/documents.h"

using namespace dsdoctor;
using decode::Expected;
using decode::Kind;

namespace {

const std::string agent = R"({"apiVersion":"apps/v1","kind":"DaemonSet",
  "metadata":{"name":"agent","namespace":"x"}})";
const std::string account = R"({"apiVersion":"v1","kind":"ServiceAccount",
  "metadata":{"name":"a","namespace":"x"}})";
const std::string other = R"({"apiVersion":"v1","kind":"ServiceAccount",
  "metadata":{"name":"a","namespace":"y"}})";
const std::string role = R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
  "metadata":{"name":"multus"}})";
const std::string binding =
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",
  "metadata":{"name":"multus"}})";

std::string list_with(const std::string& items, const std::string& metadata = "{}") {
  return R"({"apiVersion":"v1","kind":"List","metadata":)" + metadata + R"(,"items":[)" + items +
         "]}";
}

struct KindFile {
  std::string content;
  Expected expected = {};
};

model::Known known(const std::vector<KindFile>& files) {
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  for (const KindFile& file : files) {
    const auto read = decode::read_documents(file.content, "x", builder, warnings, file.expected);
    CHECK(read);
  }
  return builder.build().known;
}

}  // namespace

TEST_CASE("any number of single objects is not a list", "[decode][listed]") {
  const model::Known found = known({{agent + account + other + role + binding}});
  CHECK(found == model::Known());
}

TEST_CASE("a list is complete for its kinds", "[decode][listed]") {
  CHECK(known({{list_with(role + "," + binding)}}).roles);
  CHECK(known({{list_with(role)}, {list_with(binding)}}).roles);
  CHECK_FALSE(known({{list_with(role)}, {binding}}).roles);
  const model::Known mixed = known({{list_with(agent + "," + account)}});
  CHECK(mixed.daemon_sets);
  CHECK(mixed.service_accounts);
  CHECK_FALSE(mixed.events);
  SECTION("also in YAML") {
    CHECK(known({{"kind: List\napiVersion: v1\nitems: [" + agent + "]\n"}}).daemon_sets);
  }
  SECTION("unless there is a next page") {
    CHECK_FALSE(known({{list_with(role + "," + binding, R"({"continue":"abc"})")}}).roles);
    CHECK_FALSE(
        known({{"kind: List\napiVersion: v1\nmetadata: {continue: abc}\nitems: [" + agent + "]\n"}})
            .daemon_sets);
  }
  SECTION("unless an item could not be read") {
    CHECK_FALSE(known({{list_with(agent + R"(,{"apiVersion":"v1","kind":"ServiceAccount",
      "metadata":{"name":"b","namespace":"x"},"imagePullSecrets":7})" +
                                  "," + account)}})
                    .service_accounts);
  }
}

TEST_CASE("a list is complete for one or all namespaces", "[decode][listed]") {
  CHECK(known({{agent}, {list_with(account)}}).service_accounts);
  CHECK(known({{agent}, {list_with(account + "," + other)}}).service_accounts);
  const std::string elsewhere = R"({"apiVersion":"apps/v1","kind":"DaemonSet",
    "metadata":{"name":"agent","namespace":"z"}})";
  CHECK_FALSE(known({{agent + elsewhere}, {list_with(account)}}).service_accounts);
  CHECK(known({{agent + elsewhere}, {list_with(account + "," + other)}}).service_accounts);
  SECTION("DaemonSets are needed from every known namespace") {
    CHECK(known({{list_with(agent)}, {account}}).daemon_sets);
    CHECK_FALSE(known({{list_with(agent)}, {other}}).daemon_sets);
  }
  SECTION("an empty list has the kind and namespace of its path") {
    const KindFile empty = {"[]", {.kind = Kind::ServiceAccount, .ns = "x"}};
    CHECK(known({{agent}, empty}).service_accounts);
    CHECK_FALSE(known({{agent + elsewhere}, empty}).service_accounts);
    const KindFile of_none = {R"({"kind":"List","apiVersion":"v1","items":null})",
                              {.kind = Kind::ServiceAccount, .ns = "x"}};
    CHECK(known({{agent}, of_none}).service_accounts);
    CHECK(known({{R"({"kind":"DaemonSetList","apiVersion":"apps/v1","items":[]})"}}).daemon_sets);
  }
}

TEST_CASE("a list of PodGroups is complete unless one is invalid", "[decode][listed]") {
  const auto group = [](const std::string& spec) {
    return R"({"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup",
      "metadata":{"name":"g","namespace":"x"},"spec":)" +
           spec + "}";
  };
  const std::string gang = R"({"schedulingPolicy":{"gang":{"minCount":2}}})";
  CHECK(known({{list_with(agent + "," + group(gang))}}).pod_groups);
  CHECK_FALSE(known({{list_with(agent)}, {group(gang)}}).pod_groups);
  for (const char* invalid : {R"("text")", R"({"schedulingPolicy":{"gang":{"minCount":"2"}}})",
                              R"({"schedulingPolicy":{"gang":{"minCount":1e30}}})"}) {
    CAPTURE(invalid);
    CHECK_FALSE(known({{list_with(agent + "," + group(invalid))}}).pod_groups);
  }
  SECTION("PodGroups of another group are not ours") {
    CHECK_FALSE(
        known({{agent}, {R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroupList",
                            "items":[]})"}})
            .pod_groups);
  }
}
