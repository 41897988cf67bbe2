#include "decode/cluster_builder.h"

#include <catch2/catch.hpp>
#include <random>

#include "decode/item_splitter.h"
#include "decode/list_decoder.h"
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

TEST_CASE("null, empty and absent are read as the API server reads them", "[decode]") {
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

TEST_CASE("a field of the wrong type is named with its object and path", "[decode]") {
  const auto [object, where, what] = GENERATE(table<std::string, std::string, std::string>({
      {R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{},{"effect":5}]}})",
       "x.json Node/n spec.taints[1].effect", "a string is expected, not a number"},
      {R"({"apiVersion":"v1","kind":"Node","metadata":{"labels":{"a":true},"name":"n"}})",
       "x.json Node/n metadata.labels.a", "a string is expected, not a boolean"},
      {R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d","namespace":"x"},"spec":{"template":{"spec":{"tolerations":{}}}}})",
       "x.json DaemonSet/d spec.template.spec.tolerations", "an array is expected, not an object"},
      {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","creationTimestamp":"yesterday"}})",
       "x.json Pod/p metadata.creationTimestamp", "a time like 2006-01-02T15:04:05Z is expected"},
      {R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d"},"spec":{"updateStrategy":{"rollingUpdate":{"maxSurge":"many"}}}})",
       "x.json DaemonSet/d spec.updateStrategy.rollingUpdate.maxSurge",
       "a whole number or a percentage like \"25%\" is expected"},
      {R"({"apiVersion":"v1","kind":"Node","metadata":{"name":""}})", "x.json items[3] (Node)",
       "metadata.name is missing"},
      {R"({"apiVersion":"v1","kind":"Node"})", "x.json items[3] (Node)",
       "metadata.name is missing"},
      {R"({"metadata":{"name":"n"}})", "x.json items[3]",
       "an object with apiVersion and kind is expected; kind is missing"},
  }));
  CAPTURE(object);
  ClusterBuilder builder;
  const auto added = add(builder, object);
  REQUIRE_FALSE(added);
  CHECK(added.error().kind == base::ErrorKind::Malformed);
  CHECK(added.error().where == where);
  CHECK(added.error().what == what);
}

TEST_CASE("words that no API server accepts are warnings with their consequence", "[decode]") {
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

TEST_CASE("of one object given twice the newest stays", "[decode]") {
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

TEST_CASE("other kinds are counted, old API groups are ours", "[decode]") {
  ClusterBuilder builder;
  CHECK(add(builder, R"({"apiVersion":"v1","kind":"Secret","metadata":{}})"));
  CHECK(builder.skipped() == 1);
  CHECK(decode::kind_of("extensions/v1beta1", "DaemonSet") == Kind::DaemonSet);
  CHECK_FALSE(decode::kind_of("apps.kruise.io/v1alpha1", "DaemonSet"));
  CHECK_FALSE(builder.saw(Kind::Node));
  const model::Cluster cluster = builder.build();
  CHECK_FALSE(cluster.nodes_known);
}

TEST_CASE("times, versions and owners", "[decode]") {
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
