// SPDX-License-Identifier: Apache-2.0
#include "decode/cluster/cluster_builder.h"

#include <catch2/catch.hpp>
#include <random>

#include "decode/cluster/list_decoder.h"
#include "decode/json/item_splitter.h"
#include "decode/objects/fingerprint.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;
using decode::ClusterBuilder;
using decode::Kind;

namespace {

std::string padded(std::string json) { return json + std::string(decode::json_padding, ' '); }

base::Status add(ClusterBuilder& builder, const std::string& json,
                 std::optional<Kind> kind = std::nullopt) {
  const std::string bytes = padded(json);
  return builder.add_json(std::string_view(bytes).substr(0, json.size()), kind, {"x.json", 3});
}

/// A DaemonSet whose template has this pod spec.
model::DaemonSet daemon_set(const std::string& pod_spec) {
  ClusterBuilder builder;
  const auto added = add(builder, R"({"apiVersion":"apps/v1","kind":"DaemonSet",
      "metadata":{"name":"d","namespace":"ns"},"spec":{"template":{"spec":)" +
                                      pod_spec + "}}}");
  if (!added) FAIL(base::to_string(added.error()));
  return builder.build().daemon_sets.front();
}

std::vector<std::string> warnings_of(const std::string& object) {
  ClusterBuilder builder;
  const auto added = add(builder, object);
  if (!added) FAIL(base::to_string(added.error()));
  std::vector<std::string> result;
  for (const auto& warning : builder.take_warnings()) {
    result.push_back(warning.where + ": " + warning.what);
  }
  return result;
}

}  // namespace

TEST_CASE("null and empty and absent values are read as by the API server", "[decode]") {
  CHECK_FALSE(daemon_set("{}").pod_template.node_affinity);
  CHECK_FALSE(daemon_set(R"({"affinity":null})").pod_template.node_affinity);
  CHECK_FALSE(daemon_set(R"({"affinity":{"nodeAffinity":{}}})").pod_template.node_affinity);
  const std::string required = "requiredDuringSchedulingIgnoredDuringExecution";
  const auto affinity = [&](const std::string& value) {
    return daemon_set(R"({"affinity":{"nodeAffinity":{")" + required + "\":" + value + "}}}")
        .pod_template.node_affinity;
  };
  CHECK_FALSE(affinity("null"));
  REQUIRE(affinity("{}"));
  CHECK(affinity("{}")->terms.empty());
  CHECK(affinity(R"({"nodeSelectorTerms":null})")->terms.empty());
  CHECK(affinity(R"({"nodeSelectorTerms":[null]})")->terms.size() == 1);
  CHECK(affinity(R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","values":[null]}]}]})")
            ->terms[0]
            .match_expressions[0]
            .values == std::vector<model::Text>{""});

  const auto pod = daemon_set(R"({"nodeSelector":{"gpu":null},"tolerations":[null],
                                  "NodeSelector":{"x":"y"},"nodeName":null})")
                       .pod_template;
  REQUIRE(pod.node_selector.find("gpu") != nullptr);
  CHECK(pod.node_selector.find("gpu")->empty());
  CHECK(pod.node_selector.size() == 1);
  CHECK(pod.tolerations == std::vector<model::Toleration>{{}});
}

TEST_CASE("an error in a field names the object and the path", "[decode]") {
  const auto [object, where, what] = GENERATE(table<std::string, std::string, std::string>({
      {R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{},{"effect":5}]}})",
       "x.json Node/n spec.taints[1].effect", "expected a string, found a number"},
      {R"({"apiVersion":"v1","kind":"Node","metadata":{"labels":{"a":true},"name":"n"}})",
       "x.json Node/n metadata.labels.a", "expected a string, found a boolean"},
      {R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"providerID":"\ud800"}})",
       "x.json Node/n spec.providerID", "the string has an escape that is not valid"},
      {R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d","namespace":"x"},"spec":{"template":{"spec":{"tolerations":{}}}}})",
       "x.json DaemonSet/x/d spec.template.spec.tolerations", "expected an array, found an object"},
      {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","creationTimestamp":"yesterday"}})",
       "x.json Pod/p metadata.creationTimestamp", "expected a time like 2006-01-02T15:04:05Z"},
      {R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d"},"spec":{"updateStrategy":{"rollingUpdate":{"maxSurge":"many"}}}})",
       "x.json DaemonSet/d spec.updateStrategy.rollingUpdate.maxSurge",
       "expected an integer or a percentage like \"25%\""},
      {R"({"apiVersion":"v1","kind":"Node","metadata":{"name":""}})", "x.json items[3] (Node)",
       "metadata.name is missing"},
      {R"({"apiVersion":"v1","kind":"Node"})", "x.json items[3] (Node)",
       "metadata.name is missing"},
      {R"({"metadata":{"name":"n"}})", "x.json items[3]",
       "expected an object with apiVersion and kind; kind is missing"},
  }));
  CAPTURE(object);
  ClusterBuilder builder;
  const auto added = add(builder, object);
  REQUIRE_FALSE(added);
  CHECK(added.error().kind == base::ErrorKind::Malformed);
  CHECK(added.error().where == where);
  CHECK(added.error().what == what);
}

TEST_CASE("words that no API server accepts cause warnings with the consequence", "[decode]") {
  CHECK(warnings_of(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},
                        "spec":{"taints":[{"key":"a","effect":"NoSchedul"}]}})") ==
        std::vector<std::string>{
            "x.json Node/n spec.taints[0].effect: \"NoSchedul\" is not one of NoSchedule, "
            "PreferNoSchedule, NoExecute; the controller ignores this taint"});
  const auto of_spec = [](const std::string& spec) {
    return warnings_of(R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d",
        "namespace":"ns"},"spec":{"template":{"spec":)" +
                       spec + "}}}");
  };
  CHECK(of_spec(R"({"tolerations":[{"key":"a","operator":"exists"}]})") ==
        std::vector<std::string>{
            "x.json DaemonSet/ns/d spec.template.spec.tolerations[0].operator: \"exists\" is not "
            "one of Exists, Equal, Lt, Gt; this toleration never matches"});
  CHECK(of_spec(R"({"tolerations":[{"key":"a","operator":"Exists"}]})").empty());
  const std::string term =
      R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
          {"nodeSelectorTerms":[{"matchExpressions":[)";
  const std::string path =
      "x.json DaemonSet/ns/d spec.template.spec.affinity.nodeAffinity."
      "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]";
  CHECK(of_spec(term + R"({"key":"a","operator":"In"}]}]}}}})") ==
        std::vector<std::string>{
            path + ".values: must have at least one value; the whole term never matches"});
  CHECK(of_spec(term + R"({"key":"a","operator":"Equals","values":["x"]}]}]}}}})") ==
        std::vector<std::string>{path + ".operator: \"Equals\" is not one of In, NotIn, Exists, "
                                        "DoesNotExist, Gt, Lt; the whole term never matches"});
}

TEST_CASE("each word that the API rejects has its own warning", "[decode]") {
  const std::string required =
      R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)";
  const std::string affinity_path =
      "x.json DaemonSet/ns/d spec.template.spec.affinity.nodeAffinity."
      "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const std::string toleration_path = "x.json DaemonSet/ns/d spec.template.spec.tolerations[0]";
  const auto term = [&](const std::string& part, const std::string& entry) {
    return required + R"({"nodeSelectorTerms":[{")" + part + "\":[" + entry + "]}]}}}";
  };
  const auto toleration = [](const std::string& entry) {
    return R"("tolerations":[)" + entry + "]";
  };
  const auto [spec, warning] = GENERATE_COPY(table<std::string, std::string>({
      {toleration(R"({"key":"a","operator":"Exists","effect":"noexecute"})"),
       toleration_path + ".effect: \"noexecute\" is not one of NoSchedule, PreferNoSchedule, "
                         "NoExecute; this toleration matches no taint that keeps pods away"},
      {toleration(R"({"value":"x"})"),
       toleration_path + ".key: is empty, which only operator Exists allows; the controller reads "
                         "it as every key"},
      {toleration(R"({"key":"a","operator":"Exists","value":"x"})"),
       toleration_path + ".value: must be empty with operator Exists; the controller ignores it"},
      {toleration(R"({"key":"a","operator":"Gt","value":"007"})"),
       toleration_path + ".value: \"007\" is not a decimal integer without leading zeros, which "
                         "operator Gt needs; this toleration never matches"},
      {toleration(R"({"key":"a","operator":"Lt","value":"-0"})"),
       toleration_path + ".value: \"-0\" is not a decimal integer without leading zeros, which "
                         "operator Lt needs; this toleration never matches"},
      {toleration(R"({"key":"a","operator":"Gt","value":"-5"})"), ""},
      {toleration(R"({"key":"a","operator":"Exists","tolerationSeconds":60})"),
       toleration_path +
           ".tolerationSeconds: is only valid with effect NoExecute; the controller ignores it"},
      {required + "{}}}", affinity_path + ": must have at least one term; no node matches"},
      {term("matchExpressions", R"({"key":"a","operator":"Gt","values":["3.5"]})"),
       affinity_path + "[0].matchExpressions[0].values[0]: \"3.5\" is not an integer, which "
                       "operator Gt needs; the whole term never matches"},
      {term("matchExpressions", R"({"key":"a","operator":"Lt","values":["007"]})"), ""},
      {term("matchExpressions", R"({"key":"a","operator":"Lt","values":["1","2"]})"),
       affinity_path + "[0].matchExpressions[0].values: must have exactly one value; the whole "
                       "term never matches"},
      {term("matchExpressions", R"({"key":"a","operator":"Exists","values":["1"]})"),
       affinity_path + "[0].matchExpressions[0].values: must be empty with this operator; the "
                       "whole term never matches"},
      {term("matchExpressions", R"({"operator":"Exists"})"),
       affinity_path + "[0].matchExpressions[0].key: is empty; the whole term never matches"},
      {term("matchFields", R"({"key":"metadata.name","operator":"Exists"})"),
       affinity_path + "[0].matchFields[0].operator: \"Exists\" is not one of In, NotIn, the only "
                       "operators of matchFields; the whole term never matches"},
      {term("matchFields", R"({"key":"metadata.name","operator":"In","values":["a","b"]})"),
       affinity_path + "[0].matchFields[0].values: must have exactly one value; the whole term "
                       "never matches"},
      {term("matchFields", R"({"key":"spec.x","operator":"In","values":["a"]})"),
       affinity_path + "[0].matchFields[0].key: \"spec.x\" is not metadata.name, the only "
                       "supported field; the controller reads it as the empty string"},
  }));
  CAPTURE(spec);
  const auto found = warnings_of(R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":
      {"name":"d","namespace":"ns"},"spec":{"template":{"spec":{)" +
                                 spec + "}}}}");
  CHECK(found == (warning.empty() ? std::vector<std::string>{} : std::vector{warning}));
}

TEST_CASE("words outside the template have warnings too", "[decode]") {
  const auto of_spec = [](const std::string& spec) {
    return warnings_of(R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d",
        "namespace":"ns"},"spec":)" +
                       spec + "}");
  };
  using Words = std::vector<std::string>;
  CHECK(of_spec(R"({"updateStrategy":{"type":"Rolling"}})") ==
        Words{"x.json DaemonSet/ns/d spec.updateStrategy.type: \"Rolling\" is not one of "
              "RollingUpdate, OnDelete; the controller does not replace pods by itself"});
  CHECK(of_spec(R"({"selector":{"matchExpressions":[{"key":"a","operator":"Gt"}]}})") ==
        Words{"x.json DaemonSet/ns/d spec.selector.matchExpressions[0].operator: \"Gt\" is not one "
              "of In, NotIn, Exists, DoesNotExist; the controller fails on this DaemonSet"});
  CHECK(of_spec(R"({"selector":{"matchExpressions":[{"key":"a","operator":"In"}]}})") ==
        Words{"x.json DaemonSet/ns/d spec.selector.matchExpressions[0].values: must have at least "
              "one value; the controller fails on this DaemonSet"});
  CHECK(warnings_of(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},
                        "spec":{"taints":[{"effect":"NoSchedule"}]}})") ==
        Words{"x.json Node/n spec.taints[0].key: is empty; only tolerations without a key can "
              "match this taint"});
}

TEST_CASE("the newest of two versions of an object is kept", "[decode]") {
  const auto [first, second, kept] = GENERATE(table<std::string, std::string, std::string>(
      {{"9", "10", "second"}, {"10", "9", "first"}, {"", "", "second"}, {"7", "7", "second"}}));
  ClusterBuilder builder;
  const auto node = [](const std::string& version, const std::string& mark) {
    return R"({"metadata":{"name":"n","resourceVersion":")" + version + R"(","labels":{"mark":")" +
           mark + "\"}}}";
  };
  REQUIRE(add(builder, node(first, "first"), Kind::Node));
  REQUIRE(add(builder, node(second, "second"), Kind::Node));
  const model::Cluster cluster = builder.build();
  REQUIRE(cluster.nodes.size() == 1);
  CHECK(*cluster.nodes[0].meta.labels.find("mark") == kept);
}

TEST_CASE("a manifest without namespace gets the default namespace", "[decode]") {
  ClusterBuilder builder;
  REQUIRE(add(builder, R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d"}})"));
  REQUIRE(add(builder, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}})"));
  REQUIRE(
      add(builder, R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","namespace":"x"}})"));
  const model::Cluster cluster = builder.build();
  CHECK(cluster.daemon_sets[0].meta.ns == "default");
  CHECK(cluster.pods[0].meta.ns == "default");
  CHECK(cluster.nodes[0].meta.ns.empty());
}

TEST_CASE("every field of the model is read", "[decode]") {
  ClusterBuilder builder;
  REQUIRE(
      add(builder, R"({"apiVersion":"extensions/v1beta1","kind":"DaemonSet","metadata":{"name":"d",
      "namespace":"x","generation":3,"annotations":{"a":"b",
      "meta.helm.sh/release-name":"b"}},"spec":{"minReadySeconds":5,
      "selector":{"matchLabels":{"l":"m"},"matchExpressions":[{"key":"k","operator":"Exists"}]},
      "updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":0}},
      "template":{"metadata":{"labels":{"l":"m"}},"spec":{"nodeName":"n","hostNetwork":true,
        "nodeSelector":{"s":"t"},"tolerations":[{"key":"k","operator":"Equal","value":"v",
        "effect":"NoExecute","tolerationSeconds":-1}]}}},
      "status":{"desiredNumberScheduled":1,"currentNumberScheduled":2,"numberMisscheduled":3,
        "numberReady":4,"numberAvailable":5,"updatedNumberScheduled":6,"observedGeneration":2}})"));
  REQUIRE(add(builder, R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","uid":"u"},
      "spec":{"unschedulable":true},"status":{"nodeInfo":{"kubeletVersion":"v1.36.2"},
        "allocatable":{"cpu":"8","pods":110},"capacity":{"cpu":"9"},"conditions":[{"type":"Ready",
        "status":"True","reason":"r","message":"m","lastTransitionTime":"1970-01-01T00:00:02Z"}]}})"));
  REQUIRE(add(builder, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"x"},
      "spec":{"nodeName":"n"},"status":{"phase":"Failed","reason":"Evicted","message":"m"}})"));
  REQUIRE(add(builder, R"({"apiVersion":"apps/v1","kind":"ControllerRevision","revision":7,
      "metadata":{"name":"r","namespace":"x"},"data":{"spec":{"template":{"$patch":"replace",
      "metadata":{"labels":{"l":"m"},"creationTimestamp":null}}}}})"));
  const model::Cluster cluster = builder.build();
  CHECK(builder.take_warnings().empty());
  const model::DaemonSet& ds = cluster.daemon_sets[0];
  CHECK(ds.generation == 3);
  // The other annotation is not needed by any answer.
  CHECK(ds.annotations == model::Labels{{"meta.helm.sh/release-name", "b"}});
  CHECK(ds.selector->match_labels == model::Labels{{"l", "m"}});
  CHECK(ds.selector->match_expressions ==
        std::vector<model::NodeSelectorRequirement>{{"k", "Exists", {}}});
  CHECK(ds.min_ready_seconds == 5);
  CHECK(ds.update_strategy == "RollingUpdate");
  CHECK(ds.max_unavailable == model::IntOrPercent{25, true});
  CHECK(ds.max_surge == model::IntOrPercent{0, false});
  CHECK(ds.pod_template ==
        model::PodTemplate{
            {{"l", "m"}}, "n", {{"s", "t"}}, {}, {{"k", "Equal", "v", "NoExecute", -1}}, true});
  CHECK(ds.reported == model::DaemonSetCounts{1, 2, 3, 4, 5, 6});
  CHECK(ds.observed_generation == 2);
  const model::Node& node = cluster.nodes[0];
  CHECK(node.unschedulable);
  CHECK(node.kubelet_version == "v1.36.2");
  CHECK(node.allocatable == model::Labels{{"cpu", "8"}, {"pods", "110"}});
  CHECK(node.capacity == model::Labels{{"cpu", "9"}});
  CHECK(node.conditions == std::vector<model::Condition>{
                               {"Ready", "True", "r", "m", model::Time(std::chrono::seconds(2))}});
  CHECK(cluster.pods[0].node_name == "n");
  CHECK(cluster.pods[0].phase == "Failed");
  CHECK(cluster.pods[0].reason == "Evicted");
  CHECK(cluster.pods[0].message == "m");
  CHECK(cluster.revisions[0].revision == 7);
  CHECK(cluster.revisions[0].template_fingerprint ==
        decode::template_fingerprint(R"({"metadata":{"labels":{"l":"m"}}})"));
}

TEST_CASE("equivalent templates have the same fingerprint", "[decode]") {
  const auto print = [](const char* json) { return decode::template_fingerprint(json); };
  CHECK(print(R"({"a":1,"b":[{"c":2.5}]})") ==
        print(R"({"b": [{"c": 2.5, "d": null}], "a": 1.0})"));
  CHECK(print(R"({"a":1})") != print(R"({"a":1.5})"));
  CHECK(print(R"({"a":1})") != print(R"({"a":"1"})"));
}

TEST_CASE("other kinds are counted and old API groups are accepted", "[decode]") {
  ClusterBuilder builder;
  CHECK(add(builder, R"({"apiVersion":"v1","kind":"Secret","metadata":{}})"));
  CHECK(builder.skipped() == 1);
  CHECK(decode::kind_of("extensions/v1beta1", "DaemonSet") == Kind::DaemonSet);
  CHECK(decode::kind_of("apps.kruise.io/v1alpha1", "DaemonSet") == decode::Kind::DaemonSet);
  CHECK(decode::kind_of("datadoghq.com/v1alpha1", "ExtendedDaemonSet") == decode::Kind::DaemonSet);
  CHECK_FALSE(decode::kind_of("apps.kruise.io/v1alpha1", "StatefulSet"));
  CHECK_FALSE(decode::kind_of("extensions.example.com/v1", "DaemonSet"));
  CHECK_FALSE(builder.saw(Kind::Node));
  const model::Cluster cluster = builder.build();
  CHECK_FALSE(cluster.nodes_known);
}

TEST_CASE("times and owners are read", "[decode]") {
  ClusterBuilder builder;
  REQUIRE(add(builder, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"x",
      "creationTimestamp":"2026-11-21T02:36:15Z","deletionTimestamp":"2026-11-21T03:36:15.250+01:00",
      "ownerReferences":[{"kind":"Other","name":"a","uid":"1"},
                         {"kind":"DaemonSet","name":"d","uid":"2","controller":true}]}})"));
  const model::Pod pod = builder.build().pods.front();
  REQUIRE(pod.meta.created);
  CHECK(*pod.meta.deleted - *pod.meta.created == std::chrono::milliseconds(250));
  REQUIRE(pod.meta.controller);
  CHECK(*pod.meta.controller == model::ControllerRef{"DaemonSet", "d", "2"});
}

TEST_CASE("a list on the wire is decoded page by page", "[decode][wire]") {
  ClusterBuilder builder;
  decode::ListHead head;
  for (const std::string page : {"nodes-page1", "nodes-page2"}) {
    decode::ListDecoder decoder(builder, Kind::Node, {page});
    const std::string body = testing::read_file(DSDOCTOR_TESTDATA "/wire/" + page + ".json");
    for (std::size_t at = 0; at < body.size(); at += 1000) {
      REQUIRE(decoder.feed(std::string_view(body).substr(at, 1000)));
    }
    const auto finished = decoder.finish();
    REQUIRE(finished);
    head = *finished;
    CHECK(head.kind == "NodeList");
    CHECK(head.items > 0);
    CHECK(head.continue_token.empty() == (head.remaining_items.value_or(0) == 0));
  }
  CHECK(builder.build().nodes.size() == 2 * head.items);
}

TEST_CASE("a list with an invalid token for the next page is an error", "[decode]") {
  ClusterBuilder builder;
  decode::ListDecoder decoder(builder, Kind::Node, {"nodes"});
  REQUIRE(decoder.feed(R"({"kind":"NodeList","metadata":{"continue":5},"items":[]})"));
  const auto finished = decoder.finish();
  REQUIRE_FALSE(finished);
  CHECK(finished.error().what == "metadata.continue: expected a string");
}

TEST_CASE("each of many pods is kept once", "[cluster]") {
  constexpr std::size_t many = 10'000;
  ClusterBuilder builder;
  const auto add = [&](std::size_t number, int version) {
    std::string json =
        fmt::format(R"({{"metadata":{{"name":"p-{:05}","namespace":"x","resourceVersion":"{}"}}}})",
                    number, version);
    const std::size_t size = json.size();
    json.append(decode::json_padding, ' ');
    REQUIRE(builder.add_json(std::string_view(json).substr(0, size), Kind::Pod, {"-"}));
  };
  for (std::size_t i = many; i-- > 0;) add(i, 9);
  for (std::size_t i = 0; i < many; i += 1000) add(i, i == 3000 ? 8 : 10);
  const model::Cluster cluster = builder.build();
  REQUIRE(cluster.pods.size() == many);
  for (std::size_t i = 0; i < many; ++i) {
    CHECK(cluster.pods[i].meta.name == fmt::format("p-{:05}", i));
    CHECK(cluster.pods[i].meta.resource_version == (i % 1000 != 0 || i == 3000 ? "9" : "10"));
  }
  CHECK(builder.build().pods.empty());
}

TEST_CASE("damaged objects never crash the decoder", "[decode][fuzz]") {
  const std::string body = testing::read_file(DSDOCTOR_TESTDATA "/clusters/autoscaler-taint.json");
  std::vector<std::string> items;
  decode::ItemSplitter splitter("x", [&](std::string_view item, std::size_t) -> base::Status {
    items.emplace_back(item);
    return std::monostate{};
  });
  REQUIRE(splitter.feed(body));
  std::mt19937 random(7);
  const auto pick = [&](std::size_t n) { return std::size_t(random() % n); };
  std::size_t refused = 0;
  ClusterBuilder builder;
  for (int round = 0; round < 20'000; ++round) {
    std::string item = items[pick(items.size())];
    for (std::size_t changes = 1 + pick(4); changes > 0 && !item.empty(); --changes) {
      const std::size_t at = pick(item.size());
      switch (pick(4)) {
        case 0: item.erase(at, 1 + pick(20)); break;
        case 1: item[at] = "\"\\{}[]:,0nt\xff"[pick(12)]; break;
        case 2: item.insert(at, item.substr(pick(item.size()), pick(30))); break;
        default: item.resize(at); break;
      }
    }
    if (!add(builder, item)) ++refused;
    if (round % 1000 == 0) (void)builder.build();
  }
  CHECK(refused > 1000);
}
