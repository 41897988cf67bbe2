#include "kube/list.h"

#include "kube/test_environment.h"

namespace dsdoctor::kube {
namespace {

using Catch::Matchers::Contains;

std::string page(const std::vector<std::string>& names, const std::string& token) {
  std::string items;
  for (const auto& name : names) {
    items += (items.empty() ? "" : ",") + std::string(R"({"metadata":{"name":")") + name + "\"}}";
  }
  return R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":")" +
         token + R"("},"items":[)" + items + "]}";
}

const FakeAnswer expired{410,
                         R"({"kind":"Status","status":"Failure","reason":"Expired","code":410,)"
                         R"("message":"The provided continue parameter is too old"})"};

struct Setting {
  Connection connection;
  FakeClock time;
  std::vector<HttpRequest> requests;

  ListAnswer read(std::vector<FakeAnswer> answers) {
    FakeTransport transport(std::move(answers));
    CredentialSource credentials(connection, {}, time.clock());
    Client client(connection, transport, credentials, time.clock());
    auto answer = read_list(
        client, {"/api/v1/nodes", {{"labelSelector", "a=b"}}, "nodes", decode::Kind::Node, 2});
    requests = transport.requests;
    return answer;
  }
};

std::vector<std::string> names_of(const ListAnswer& answer) {
  INFO((answer.failure ? base::to_string(answer.failure->error) : ""));
  CHECK_FALSE(answer.failure);
  std::vector<std::string> names;
  for (const auto& node : answer.cluster.nodes) names.push_back(node.meta.name.str());
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("pages are followed to the end", "[list]") {
  Setting s;
  const auto answer =
      s.read({{200, page({"a", "b"}, "t1")}, {200, page({}, "t2")}, {200, page({"c"}, "")}});
  CHECK(names_of(answer) == Names{"a", "b", "c"});
  CHECK(answer.resource_version == "7");
  REQUIRE(s.requests.size() == 3);
  CHECK(s.requests[0].target == "/api/v1/nodes?labelSelector=a%3Db&limit=2");
  CHECK(s.requests[1].target == "/api/v1/nodes?continue=t1&labelSelector=a%3Db&limit=2");
}

TEST_CASE("an empty list is a list", "[list]") {
  Setting s;
  const auto answer = s.read({{200, page({}, "")}});
  CHECK(names_of(answer).empty());
  CHECK(answer.cluster.nodes_known);
  CHECK(names_of(s.read({{200, R"({"kind":"NodeList","items":null,"metadata":{}})"}})).empty());
  CHECK(names_of(s.read({{200, R"({"items":[{"metadata":{"name":"x"}}],"metadata":{}})"}})) ==
        Names{"x"});
}

TEST_CASE("410 starts the list anew, then without pages", "[list]") {
  Setting s;
  CHECK(names_of(s.read({{200, page({"gone"}, "t")},
                         expired,
                         {200, page({"a"}, "t")},
                         {200, page({"b"}, "")}})) == Names{"a", "b"});
  CHECK(names_of(s.read({{200, page({"gone"}, "t")},
                         expired,
                         {200, page({"gone"}, "t")},
                         expired,
                         {200, page({"a", "b", "c"}, "")}})) == Names{"a", "b", "c"});
  CHECK(s.requests.back().target == "/api/v1/nodes?labelSelector=a%3Db");
  CHECK(s.read({{200, page({"gone"}, "t")}, expired, expired, expired}).failure->status == 410);
}

TEST_CASE("a cut page is repeated, and half a list is none", "[list]") {
  Setting s;
  const std::string whole = page({"a", "b"}, "t1");
  const std::vector<Header> json{{"Content-Type", "application/json"}};
  const FakeAnswer cut{200, whole.substr(0, whole.size() * 6 / 10), json, TransportFault::CutBody};
  CHECK(names_of(s.read({cut, {200, page({"b"}, "t1")}, {200, page({"c"}, "")}})) ==
        Names{"b", "c"});
  const auto failed = s.read({{200, whole}, cut});
  CHECK(failed.failure);
  CHECK(failed.cluster.nodes.empty());
  CHECK(s.requests.size() == 4);
  // close-delimited: only the JSON tells
  CHECK(names_of(s.read({{200, whole.substr(0, whole.size() - 2)}, {200, page({"c"}, "")}})) ==
        Names{"c"});
}

TEST_CASE("a 200 that is no list", "[list]") {
  Setting s;
  const auto error = [&](const FakeAnswer& answer) {
    const auto result = s.read({answer});
    REQUIRE(result.failure);
    return kubectl_line(result.failure->error);
  };
  CHECK(error({200, R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403,)"
                    R"("message":"no"})"}) == "Error from server (Forbidden): no");
  CHECK(error({200, ""}) == "Error from server: the answer is empty");
  CHECK_THAT(error({200, "<html>", {{"Content-Type", "text/html"}}}), Contains("text/html"));
  CHECK_THAT(error({200, page({"a"}, "") + R"({"kind":"Status","status":"Failure"})"}),
             Contains("/api/v1/nodes"));
}

}  // namespace
}  // namespace dsdoctor::kube
