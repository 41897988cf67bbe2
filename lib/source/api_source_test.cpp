// SPDX-License-Identifier: Apache-2.0
#include "source/api_source.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "decode/cluster/list_decoder.h"
#include "kube/client/api_error.h"
#include "kube/http/curl_transport.h"
#include "source/api_reads.h"
#include "source/label_query.h"
#include "testing/certificates.h"
#include "testing/fake_api.h"
#include "testing/https_server.h"

namespace dsdoctor::source {
namespace {

using Catch::Matchers::Contains;
using testing::Fault;
using testing::Reply;
using testing::status_reply;

const std::string recorded = std::string(DSDOCTOR_TESTDATA) + "/clusters/mixed-40-nodes.json";

/// A server with a recorded cluster, and a source that reads from it.
struct Setting {
  testing::CertificateAuthority ca;
  testing::FakeApi api{recorded};
  testing::HttpsServer server{{true, ca.issue_server(), ca.certificate()}, api.handler()};
  kube::Connection connection;
  ApiSourceOptions options;
  std::vector<std::string> trace;
  std::vector<std::string> server_warnings;

  Setting() {
    api.require_token("CANARY");
    connection.context = "c1";
    connection.server = *kube::parse_server_url(server.url());
    connection.tls.ca_pem = ca.certificate();
    connection.identity.token = "CANARY";
    options.program_version = "1.2.3";
    options.page_size = 7;
    options.clock = kube::Clock::system();
    options.clock.sleep = [](std::chrono::milliseconds, const std::atomic<bool>&) {};
    options.clock.now = [] { return base::Time(std::chrono::seconds(1'800'000'000)); };
    options.trace = [this](const kube::TraceEvent& event) { trace.push_back(event.url); };
    options.on_server_warning = [this](const std::string& text) {
      server_warnings.push_back(text);
    };
  }
  base::Result<Snapshot> try_load(const Query& query = {}) {
    return ApiSource(connection, {}, options).load(query);
  }
  Snapshot load(const Query& query = {}) {
    auto snapshot = try_load(query);
    INFO((snapshot ? std::string() : kube::kubectl_line(snapshot.error())));
    REQUIRE(snapshot);
    return std::move(*snapshot);
  }
  std::string error(const Query& query = {}) {
    const auto snapshot = try_load(query);
    REQUIRE_FALSE(snapshot);
    CHECK_THAT(kube::kubectl_line(snapshot.error()), !Contains("CANARY"));
    return kube::kubectl_line(snapshot.error());
  }
  /// Paths of the requests so far, sorted, without duplicates.
  [[nodiscard]] std::set<std::string> paths() const {
    std::set<std::string> result;
    for (const auto& request : server.requests()) result.insert(request.path);
    return result;
  }
};

using Paths = std::set<std::string>;

model::Cluster cluster_of_file() {
  std::ifstream stream(recorded, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  decode::ClusterBuilder builder;
  decode::ListDecoder decoder(builder, std::nullopt, {"mixed-40-nodes.json"});
  REQUIRE(decoder.feed(text));
  REQUIRE(decoder.finish());
  model::Cluster cluster = builder.build();
  // Not read by the first step.
  cluster.events.clear();
  cluster.namespaces.clear();
  cluster.resource_quotas.clear();
  cluster.priority_classes.clear();
  cluster.known = {};
  cluster.known.daemon_sets = cluster.known.revisions = true;
  cluster.known.every_daemon_set = cluster.known.own_daemon_set_list = true;
  return cluster;
}

TEST_CASE("files and API server give equal clusters", "[api_source]") {
  Setting s;
  const Snapshot snapshot = s.load();
  model::Cluster expected = cluster_of_file();
  expected.version = model::ServerVersion{1, 36, 2, "v1.36.2"};
  expected.all_pods_assumed = false;  // a server was asked for all pods
  CHECK(snapshot.cluster.nodes.size() == 39);
  CHECK(snapshot.cluster.pods.size() == 307);
  CHECK(snapshot.cluster.daemon_sets.size() == 11);
  CHECK(snapshot.cluster.revisions.size() == 11);
  CHECK((snapshot.cluster == expected));
  CHECK(snapshot.omissions.empty());
  CHECK(snapshot.other_daemon_sets.empty());
  CHECK(snapshot.info.kind == "cluster");
  CHECK(snapshot.info.context == "c1");
  CHECK(snapshot.info.server == s.server.url());
  CHECK(snapshot.info.server_version == "v1.36.2");
  CHECK(snapshot.info.read_at == model::Time(std::chrono::seconds(1'800'000'000)));
  CHECK(s.paths() == Paths{"/api/v1/nodes", "/api/v1/pods", "/apis/apps/v1/controllerrevisions",
                           "/apis/apps/v1/daemonsets", "/version"});
  CHECK(s.server.connections() <= 5);
  for (const auto& request : s.server.requests()) CHECK(request.method == "GET");
  for (const std::string& url : s.trace) CHECK_THAT(url, !Contains("CANARY"));
}

/// The recorded nodes, except those that `hides` matches.
Reply nodes_without(const std::function<bool(const std::string&)>& hides) {
  std::ifstream stream(recorded, std::ios::binary);
  const nlohmann::json cluster = nlohmann::json::parse(stream);
  nlohmann::json items = nlohmann::json::array();
  for (const auto& object : cluster["items"]) {
    if (object["kind"] == "Node" && !hides(object["metadata"]["name"])) items.push_back(object);
  }
  const nlohmann::json list = {{"kind", "NodeList"},
                               {"apiVersion", "v1"},
                               {"metadata", nlohmann::json::object()},
                               {"items", items}};
  return {200, list.dump()};
}

TEST_CASE("a node missing in the list is read by name", "[api_source]") {
  Setting s;
  const std::string nodes = "/api/v1/nodes";
  const auto is_there = [](const Snapshot& snapshot) {
    return model::find_node(snapshot.cluster, "cp-1") != nullptr;
  };
  s.api.script(nodes, {nodes_without([](const std::string& name) { return name == "cp-1"; })});
  SECTION("it joined after the list was read") {
    const Snapshot snapshot = s.load();
    CHECK(is_there(snapshot));
    CHECK(snapshot.cluster.nodes.size() == 39);
    CHECK(snapshot.cluster.all_nodes_known);
    CHECK(snapshot.omissions.empty());
    CHECK(s.paths().contains(nodes + "/cp-1"));
  }
  SECTION("it was deleted") {
    s.api.script(nodes + "/cp-1",
                 {testing::not_found_reply("nodes", "cp-1", "nodes \"cp-1\" not found")});
    const Snapshot snapshot = s.load();
    CHECK_FALSE(is_there(snapshot));
    CHECK(snapshot.cluster.all_nodes_known);
    CHECK(snapshot.omissions.empty());
  }
  SECTION("this user cannot read it") {
    s.api.forbid(nodes + "/cp-1");
    const Snapshot snapshot = s.load();
    CHECK_FALSE(is_there(snapshot));
    CHECK(snapshot.cluster.nodes_known);
    CHECK_FALSE(snapshot.cluster.all_nodes_known);
    REQUIRE(snapshot.omissions.size() == 1);
    CHECK(snapshot.omissions[0].resource == "nodes");
    CHECK(snapshot.omissions[0].reason == "Forbidden");
    CHECK(snapshot.omissions[0].consequence ==
          "the counts are those of the nodes that were read; ask for RBAC permission to get nodes "
          "(cluster scope)");
  }
}

TEST_CASE("a list may lack most of the nodes that run pods", "[api_source]") {
  Setting s;
  const std::string nodes = "/api/v1/nodes";
  const auto show_one = [&] {
    s.api.script(nodes, {nodes_without([](const std::string& name) { return name != "cp-1"; })});
  };
  SECTION("ten of them are read") {
    show_one();
    const Snapshot snapshot = s.load();
    CHECK(snapshot.cluster.nodes.size() == 11);
    CHECK_FALSE(snapshot.cluster.all_nodes_known);
    REQUIRE(snapshot.omissions.size() == 1);
    CHECK(snapshot.omissions[0].reason == "Truncated");
  }
  SECTION("no more nodes are known if reading them is forbidden") {
    show_one();
    for (const model::Node& node : cluster_of_file().nodes) {
      s.api.forbid(nodes + "/" + node.meta.name.str());
    }
    const Snapshot snapshot = s.load();
    CHECK(snapshot.cluster.nodes.size() == 1);
    CHECK_FALSE(snapshot.cluster.all_nodes_known);
    CHECK(snapshot.omissions.size() == 1);
  }
  SECTION("an empty list means no nodes") {
    s.api.script(nodes, {nodes_without([](const std::string& /*name*/) { return true; })});
    const Snapshot snapshot = s.load();
    CHECK(snapshot.cluster.nodes_known);
    CHECK(snapshot.cluster.nodes.empty());
    CHECK(snapshot.omissions.empty());
  }
}

TEST_CASE("with a namespace only that namespace is read", "[api_source]") {
  Setting s;
  const Snapshot snapshot = s.load({"storage", {}, "", true, false});
  CHECK(snapshot.cluster.daemon_sets.size() == 2);
  CHECK_FALSE(snapshot.cluster.revisions_known);
  CHECK(snapshot.omissions.empty());
  CHECK(s.paths() == Paths{"/api/v1/namespaces/storage/pods", "/api/v1/nodes",
                           "/apis/apps/v1/namespaces/storage/daemonsets", "/version"});
}

TEST_CASE("with one DaemonSet only its pods are read", "[api_source]") {
  Setting s;
  const Snapshot snapshot = s.load({"storage", {"csi-node"}, "", true, true});
  REQUIRE(snapshot.cluster.daemon_sets.size() == 1);
  CHECK(snapshot.cluster.revisions.size() ==
        2);  // including an earlier DaemonSet with the same name
  CHECK_FALSE(snapshot.cluster.pods.empty());
  for (const auto& pod : snapshot.cluster.pods) CHECK(pod.meta.ns == "storage");
  for (const auto& request : s.server.requests()) {
    if (request.path == "/api/v1/namespaces/storage/pods") {
      CHECK(request.query.at("labelSelector") == "app=csi-node");
      CHECK_THAT(request.target, Contains("labelSelector=app%3Dcsi-node"));
    }
  }
  CHECK(s.paths() == Paths{"/api/v1/namespaces/storage/pods", "/api/v1/nodes",
                           "/apis/apps/v1/namespaces/storage/controllerrevisions",
                           "/apis/apps/v1/namespaces/storage/daemonsets/csi-node", "/version"});
}

TEST_CASE("for a missing DaemonSet the other names are read", "[api_source]") {
  Setting s;
  Snapshot snapshot = s.load({"storage", {"csi-nod"}, "", true, true});
  CHECK(snapshot.cluster.daemon_sets.empty());
  CHECK(snapshot.cluster.nodes_known);
  CHECK(snapshot.other_daemon_sets.size() == 11);
  CHECK(snapshot.other_daemon_sets.front() == std::pair<std::string, std::string>("big", "hungry"));
  // the namespace's pods and revisions include those of the deleted DaemonSet
  CHECK_FALSE(snapshot.cluster.pods.empty());
  CHECK_FALSE(snapshot.cluster.revisions.empty());
  CHECK(s.paths().contains("/api/v1/namespaces/storage/pods"));
  CHECK(s.paths().contains("/apis/apps/v1/namespaces/storage/controllerrevisions"));
  s.api.forbid("/apis/apps/v1/daemonsets");
  snapshot = s.load({"storage", {"csi-nod"}, "", true, true});
  CHECK(snapshot.other_daemon_sets == std::vector<std::pair<std::string, std::string>>{
                                          {"storage", "csi-node"}, {"storage", "csi-node-2"}});
}

TEST_CASE("a label selector selects DaemonSets", "[api_source]") {
  Setting s;
  const Snapshot snapshot = s.load({"", {}, "app in (falco,fluent-bit)", false, false});
  CHECK(snapshot.cluster.daemon_sets.size() == 2);
  CHECK_FALSE(snapshot.cluster.pods_known);
}

TEST_CASE("a forbidden resource becomes an omission", "[api_source][row 137]") {
  Setting s;
  for (const char* path :
       {"/api/v1/nodes", "/api/v1/pods", "/apis/apps/v1/controllerrevisions", "/version"}) {
    s.api.forbid(path);
  }
  const Snapshot snapshot = s.load();
  CHECK(snapshot.cluster.daemon_sets.size() == 11);
  CHECK_FALSE(snapshot.cluster.nodes_known);
  CHECK_FALSE(snapshot.cluster.pods_known);
  CHECK_FALSE(snapshot.cluster.revisions_known);
  CHECK_FALSE(snapshot.cluster.version);
  REQUIRE(snapshot.omissions.size() == 3);
  const model::Omission& nodes = snapshot.omissions[0];
  CHECK(nodes.resource == "nodes");
  CHECK(nodes.reason == "Forbidden");
  CHECK_THAT(nodes.message, Contains("User \"viewer\" cannot list resource \"nodes\""));
  CHECK_THAT(nodes.consequence, Contains("cannot tell which nodes are eligible"));
  CHECK(snapshot.omissions[1].resource == "pods");
  CHECK(snapshot.omissions[2].resource == "controllerrevisions");
}

TEST_CASE("a read without DaemonSets is an error", "[api_source]") {
  Setting s;
  s.api.forbid("/apis/apps/v1/daemonsets");
  const auto snapshot = s.try_load();
  REQUIRE_FALSE(snapshot);
  CHECK(snapshot.error().kind == base::ErrorKind::Forbidden);
  CHECK_THAT(kube::kubectl_line(snapshot.error()),
             Catch::StartsWith("Error from server (Forbidden): daemonsets is forbidden"));
  REQUIRE(snapshot.error().hints.size() == 1);
  CHECK_THAT(snapshot.error().hints[0], Contains("try -n NAMESPACE"));
}

TEST_CASE("a wrong token is an error", "[api_source]") {
  Setting s;
  s.connection.identity.token = "CANARY-of-another-cluster";
  CHECK(s.error() == "error: You must be logged in to the server (Unauthorized)");
}

TEST_CASE("a rejection explains why requests are anonymous", "[api_source]") {
  Setting s;
  s.connection.identity.token.clear();
  s.connection.anonymous_because = "no such user";
  const auto unauthorized = s.try_load();
  REQUIRE_FALSE(unauthorized);
  CHECK(unauthorized.error().hints == std::vector<std::string>{"no such user"});
  s.api.require_token("");
  s.api.forbid("/apis/apps/v1/daemonsets");
  const auto forbidden = s.try_load();
  REQUIRE_FALSE(forbidden);
  CHECK(forbidden.error().hints == std::vector<std::string>{"no such user"});
}

TEST_CASE("a client certificate replaces a token", "[api_source]") {
  Setting s;
  const auto me = s.ca.issue_client("me");
  s.connection.identity.token.clear();
  s.connection.tls.client_cert_pem = me.certificate;
  s.connection.tls.client_key_pem = me.key;
  CHECK(s.load().cluster.nodes.size() == 39);
  CHECK(s.server.requests().front().client_name == "me");
}

TEST_CASE("a request to a faulty server is retried", "[api_source]") {
  Setting s;
  const model::Cluster whole = s.load().cluster;
  const Reply cut{200, R"({"kind":"PodList","items":[{"metadata":{"name":"half"}},{"met)"};
  Reply closed;
  closed.fault = Fault::CloseBeforeHead;
  Reply half = cut;
  half.fault = Fault::CutBody;
  Reply busy = status_reply(429, "TooManyRequests", "busy");
  busy.headers.emplace("Retry-After", "1");
  busy.headers.emplace("Warning", "299 - \"slow down\"");
  s.api.script("/api/v1/pods", {busy, closed, half, cut});
  s.api.script("/api/v1/nodes", {status_reply(503, "", "x"), busy});
  CHECK((s.load().cluster == whole));
  CHECK(s.server_warnings == std::vector<std::string>{"slow down"});
  s.api.script("/api/v1/pods", {status_reply(500, "InternalError", "etcd is gone")});
  CHECK(s.error() == "Error from server (InternalError): etcd is gone");
  s.api.script("/apis/apps/v1/daemonsets", {{200, "<html>", "text/html"}});
  CHECK_THAT(s.error(), Contains("content type \"text/html\""));
}

TEST_CASE("any server error about revisions becomes an omission", "[api_source]") {
  Setting s;
  const Reply reply = GENERATE(status_reply(500, "InternalError", "etcd"),
                               Reply{200, "<html>", "text/html"}, status_reply(410, "Gone", "no"));
  CAPTURE(reply.status);
  const std::string path = "/apis/apps/v1/controllerrevisions";
  s.api.script(path, std::vector<Reply>(10, reply));
  const Snapshot snapshot = s.load();
  CHECK(snapshot.cluster.pods.size() == 307);
  CHECK_FALSE(snapshot.cluster.revisions_known);
  REQUIRE(snapshot.omissions.size() == 1);
  CHECK(snapshot.omissions[0].resource == "controllerrevisions");
  CHECK(snapshot.omissions[0].consequence == "cannot tell which pods are outdated");
}

TEST_CASE("a connection that fails on revisions ends the read", "[api_source]") {
  Setting s;
  Reply closed;
  closed.fault = Fault::CloseBeforeHead;
  s.api.script("/apis/apps/v1/controllerrevisions", std::vector<Reply>(500, closed));
  CHECK_THAT(s.error(), Contains("closed before an answer"));
}

TEST_CASE("a server's warnings are reported for any answer", "[api_source][row 145]") {
  Setting s;
  Reply refused = status_reply(403, "Forbidden", "no");
  refused.headers.emplace("Warning", "299 - \"soon gone\"");
  s.api.script("/apis/apps/v1/daemonsets", {refused});
  CHECK_FALSE(s.try_load());
  CHECK(s.server_warnings == std::vector<std::string>{"soon gone"});

  ApiSource source(s.connection, {}, s.options);
  auto snapshot = source.load({});
  REQUIRE(snapshot);
  s.server_warnings.clear();
  Reply events{200, R"({"kind":"EventList","apiVersion":"v1","metadata":{},"items":[]})"};
  events.headers.emplace("Warning", "299 - \"old events\"");
  s.api.script("/api/v1/namespaces/datadog/events", {events});
  model::DetailQuery query;
  query.daemon_set_event_namespaces = {"datadog"};
  source.load_details(*snapshot, query);
  CHECK(s.server_warnings == std::vector<std::string>{"old events"});
}

TEST_CASE("a DaemonSet is missing only if the API server says so", "[api_source]") {
  Setting s;
  const Query query{"storage", {"csi-node"}, "", true, true};
  const std::string path = "/apis/apps/v1/namespaces/storage/daemonsets/csi-node";
  const std::string unserved = "the server could not find the requested resource";
  s.api.script(path, {{404, "<html>no such cluster", "text/html"}});
  CHECK(s.error(query) ==
        "Error from server (NotFound): " + unserved + " (get daemonsets.apps csi-node)");
  s.api.script(path, {status_reply(404, "NotFound", unserved)});
  const auto other_server = s.try_load(query);
  REQUIRE_FALSE(other_server);
  CHECK(kube::kubectl_line(other_server.error()) == "Error from server (NotFound): " + unserved);
  REQUIRE(other_server.error().hints.size() == 1);
  CHECK_THAT(other_server.error().hints[0], Contains("server URL"));
  s.api.script(path, {testing::not_found_reply("clusters", "c-2", "clusters \"c-2\" not found")});
  CHECK(s.error(query) == "Error from server (NotFound): clusters \"c-2\" not found");
  s.api.script(path, {testing::not_found_reply("daemonsets", "csi-node", "not found")});
  CHECK(s.load(query).cluster.daemon_sets.empty());

  s.connection.identity.token.clear();
  s.connection.identity.token_file = "/nonexistent/token";
  CHECK_THAT(s.error(query), Contains("failed to read token file") &&
                                 Contains("/nonexistent/token: no such file or directory"));
}

TEST_CASE("an invalid or failed answer about revisions becomes an omission", "[api_source]") {
  Setting s;
  const Reply reply = GENERATE(status_reply(500, "InternalError", "etcd"),
                               status_reply(403, "Forbidden", "no"), Reply{200, "<html>"});
  s.api.script("/apis/apps/v1/controllerrevisions", std::vector<Reply>(20, reply));
  const Snapshot snapshot = s.load();
  CHECK_FALSE(snapshot.cluster.pods.empty());
  CHECK_FALSE(snapshot.cluster.revisions_known);
  REQUIRE(snapshot.omissions.size() == 1);
  CHECK(snapshot.omissions[0].resource == "controllerrevisions");
}

TEST_CASE("a 404 of a list is not an empty list", "[api_source]") {
  Setting s;
  ApiSource source(s.connection, {}, s.options);
  auto snapshot = source.load({});
  REQUIRE(snapshot);
  const Reply unserved = status_reply(404, "NotFound", "not served");
  const std::string ns = "/api/v1/namespaces/datadog";
  for (const std::string& path :
       {std::string("/apis/rbac.authorization.k8s.io/v1/clusterroles"), ns + "/events",
        ns + "/serviceaccounts/default", std::string("/apis/resource.k8s.io/v1/deviceclasses")}) {
    s.api.script(path, {unserved});
  }
  model::DetailQuery query;
  query.daemon_set_event_namespaces = {"datadog"};
  query.roles = query.device_classes = true;
  query.service_accounts = {{"datadog", "default"}};
  source.load_details(*snapshot, query);
  std::set<std::string> lacking;
  for (const model::Omission& omission : snapshot->omissions) {
    CHECK(omission.reason == "NotFound");
    CHECK_THAT(omission.consequence, !Contains("RBAC permission to"));
    lacking.insert(omission.resource);
  }
  // An unserved resource is skipped without a conclusion; only device classes are then known to be
  // absent.
  CHECK(lacking == std::set<std::string>{"serviceaccounts"});
  const model::Known& known = snapshot->cluster.known;
  CHECK_FALSE(known.roles);
  CHECK_FALSE(known.events);
  CHECK_FALSE(known.service_accounts);
  CHECK(known.device_classes);

  query = {};
  query.service_accounts = {{"datadog", "default"}};  // the server reports that it does not exist
  source.load_details(*snapshot, query);
  CHECK(known.service_accounts);
}

TEST_CASE("PodGroups are read with the pods of their namespace", "[api_source]") {
  Setting s;
  ApiSource source(s.connection, {}, s.options);
  auto snapshot = source.load({});
  REQUIRE(snapshot);
  const auto [minor, version] =
      GENERATE(table<int, std::string>({{36, "v1alpha2"}, {37, "v1beta1"}, {99, "v1beta1"}}));
  snapshot->cluster.version = model::ServerVersion{1, minor, 0, ""};
  snapshot->cluster.all_pods_known = false;
  const std::string path = "/apis/scheduling.k8s.io/" + version + "/namespaces/datadog/podgroups";
  model::DetailQuery query;
  query.pod_groups = {{"datadog", "agents"}};
  SECTION("a PodGroup that the list lacks does not exist") {
    s.api.script(path, {{200, R"({"kind":"PodGroupList","apiVersion":"scheduling.k8s.io/v1beta1",
                                  "metadata":{},"items":[]})"}});
    source.load_details(*snapshot, query);
    CHECK(snapshot->omissions.empty());
    CHECK(snapshot->cluster.known.pod_groups);
    CHECK(snapshot->cluster.known.pod_group_members);
    CHECK(s.paths().contains("/api/v1/namespaces/datadog/pods"));
  }
  SECTION("a list that is forbidden or not served is one omission") {
    const bool unserved = GENERATE(true, false);
    if (unserved) {
      s.api.script(path, {status_reply(404, "NotFound", "not served")});
    } else {
      s.api.forbid(path);
    }
    source.load_details(*snapshot, query);
    REQUIRE(snapshot->omissions.size() == 1);
    CHECK(snapshot->omissions[0].resource == "podgroups");
    CHECK_FALSE(snapshot->cluster.known.pod_groups);
  }
}

TEST_CASE("taints of devices are read in the version of the release", "[api_source]") {
  const std::string api = "/apis/resource.k8s.io/";
  const auto rules = [&](const char* version) { return api + version + "/devicetaintrules"; };
  const auto reply = [](const std::string& kind) {
    Reply list;
    list.body = R"({"apiVersion":"resource.k8s.io/v1","kind":")" + kind +
                R"(List","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"r",)"
                R"("namespace":"datadog"}}]})";
    return list;
  };
  for (const auto& [minor, version] :
       {std::pair{35, "v1alpha3"}, {36, "v1beta2"}, {37, "v1"}, {38, "v1"}}) {
    CAPTURE(minor);
    Setting s;
    s.api.script(rules(version), {reply("DeviceTaintRule")});
    s.api.script(api + "v1/resourceslices", {reply("ResourceSlice")});
    s.api.script(api + "v1/namespaces/datadog/resourceclaims", {reply("ResourceClaim")});
    ApiSource source(s.connection, {}, s.options);
    auto snapshot = source.load({});
    REQUIRE(snapshot);
    snapshot->cluster.version = model::ServerVersion{1, minor, 0, ""};
    model::DetailQuery query;
    query.claim_namespaces = {"datadog"};
    source.load_details(*snapshot, query);
    CHECK(snapshot->omissions.empty());
    CHECK(snapshot->cluster.device_taint_rules.size() == 1);
    CHECK(snapshot->cluster.resource_claims.size() == 1);
    CHECK(snapshot->cluster.resource_slices.size() == 1);
    CHECK(snapshot->cluster.known.device_taints);
  }
}

TEST_CASE("taints of devices that cannot be read have one consequence", "[api_source]") {
  const std::string rules = "/apis/resource.k8s.io/v1/devicetaintrules";
  Setting s;
  ApiSource source(s.connection, {}, s.options);
  auto snapshot = source.load({});
  REQUIRE(snapshot);
  snapshot->cluster.version = model::ServerVersion{1, 37, 2, "v1.37.2"};
  for (const char* rest : {"resourceslices", "namespaces/datadog/resourceclaims"}) {
    s.api.script(std::string("/apis/resource.k8s.io/v1/") + rest,
                 {status_reply(404, "NotFound", "not served")});
  }
  model::DetailQuery query;
  query.claim_namespaces = {"datadog"};
  SECTION("forbidden") {
    s.api.forbid(rules);
    source.load_details(*snapshot, query);
    CHECK_THAT(snapshot->omissions.back().consequence,
               Contains("taints of devices are unknown; ask for RBAC permission to list"));
  }
  SECTION("not served") {
    s.api.script(rules, {status_reply(404, "NotFound", "not served")});
    source.load_details(*snapshot, query);
    CHECK(snapshot->omissions.back().consequence == "taints of devices are unknown");
  }
  CHECK(snapshot->omissions.size() == 3);
  CHECK_FALSE(snapshot->cluster.known.device_taints);
}

TEST_CASE("a forbidden list names the permission to ask for", "[api_source]") {
  Setting s;
  s.api.forbid("/api/v1/pods");
  CHECK_THAT(s.load().omissions.at(0).consequence,
             Catch::EndsWith("; ask for RBAC permission to list pods"));
  const auto forbidden = kube::failure_of(
      {403, {}}, R"({"kind":"Status","status":"Failure","reason":"Forbidden","message":"no"})", "");
  CHECK(omission_of(forbidden, {"pods", "less", "list pods"}, "").consequence ==
        "less; ask for RBAC permission to list pods");
  for (const int status : {401, 404, 500}) {
    CAPTURE(status);
    const auto failure = kube::failure_of({status, {}}, "x", "pods");
    CHECK(omission_of(failure, {"pods", "less", "list pods"}, "").consequence == "less");
  }
}

TEST_CASE("names that would change the path are not sent", "[api_source]") {
  Setting s;
  for (const char* name : {".", "..", "a/b", "a%2fb"}) {
    CAPTURE(name);
    CHECK_THAT(s.error({"storage", {name}, "", true, true}), Contains("invalid resource name"));
  }
  for (const auto& request : s.server.requests()) {
    CHECK_THAT(request.path, !Contains("daemonsets"));
  }
}

TEST_CASE("a failing /version does not delay the result", "[api_source]") {
  Setting s;
  s.options.clock.sleep = kube::Clock::system().sleep;
  Reply busy = status_reply(503, "ServiceUnavailable", "later");
  busy.headers.emplace("Retry-After", "60");
  s.api.script("/version", {busy});
  CHECK_FALSE(s.load().cluster.version);
  Reply never{200, "{}"};
  never.fault = Fault::StallBeforeHead;
  s.api.script("/version", {never});
  const auto begin = std::chrono::steady_clock::now();
  CHECK_FALSE(s.load().cluster.version);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("a list continues after its page token expired", "[api_source]") {
  Setting s;
  const model::Cluster whole = s.load().cluster;
  std::atomic<int> pages = 0;
  const auto answer = s.api.handler();
  testing::HttpsServer server({true, s.ca.issue_server()}, [&](const auto& request) {
    const bool later = request.query.contains("continue") && request.path == "/api/v1/nodes";
    if (later && ++pages == 2) return status_reply(410, "Expired", "too old");
    return answer(request);
  });
  s.connection.server = *kube::parse_server_url(server.url());
  CHECK((s.load().cluster == whole));
  CHECK(pages > 4);
}

TEST_CASE("for a snapshot the events of a kind are one list", "[api_source]") {
  Setting setting;
  ApiSource source(setting.connection, {}, setting.options);
  auto snapshot = source.load({});
  REQUIRE(snapshot);
  setting.trace.clear();
  model::DetailQuery query;
  query.daemon_set_event_namespaces = {"datadog"};
  query.every_node_event = true;
  source.load_details(*snapshot, query);
  const auto asked = [&](const std::string& part) {
    return std::ranges::any_of(
        setting.trace, [&](const std::string& url) { return url.find(part) != std::string::npos; });
  };
  CHECK(asked("/namespaces/datadog/events?fieldSelector=involvedObject.kind%3DDaemonSet"));
  CHECK(asked("/namespaces/default/events?fieldSelector=involvedObject.kind%3DNode"));
  CHECK(snapshot->cluster.known.events);
}

TEST_CASE("selectors are written in the API's syntax", "[label_query]") {
  model::LabelSelector selector;
  CHECK(to_label_query(selector) == "");
  selector.match_labels = {{"b", "2"}, {"a", "1"}};
  selector.match_expressions = {{"t", "In", {"x", "y"}},
                                {"u", "NotIn", {"z"}},
                                {"v", "Exists", {}},
                                {"w", "DoesNotExist", {}}};
  CHECK(to_label_query(selector) == "a=1,b=2,t in (x,y),u notin (z),v,!w");
  selector.match_expressions = {{"t", "Gt", {"1"}}};
  CHECK_FALSE(to_label_query(selector));
  selector.match_expressions = {{"t", "In", {}}};
  CHECK_FALSE(to_label_query(selector));
}

}  // namespace
}  // namespace dsdoctor::source
