// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/url_secrets.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "decode/cluster/cluster_builder.h"
#include "decode/json/json_padding.h"

using namespace dsdoctor;
using decode::without_url_secrets;

TEST_CASE("secrets in URLs are removed", "[secrets]") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"https://jane:pw@reg.example/v2/: denied", "https://xxxxx@reg.example/v2/: denied"},
      {"https://ghp_token@github.example/x", "https://xxxxx@github.example/x"},
      {"https://u:p/w@host.example/x", "https://xxxxx@host.example/x"},
      {"http://u:p@w@h:80/@scope/pkg", "http://xxxxx@h:80/@scope/pkg"},
      {"a http://u:p@a/,https://v:q@b/ c", "a http://xxxxx@a/,https://xxxxx@b/ c"},
      {R"(Get "http://10.0.0.7:80/x?token=abc&user=me": dial tcp)",
       R"(Get "http://10.0.0.7:80/x?token=xxxxx&user=xxxxx": dial tcp)"},
      {"https://s3.example/o?X-Amz-Signature=ab&X-Amz-Date=1).",
       "https://s3.example/o?X-Amz-Signature=xxxxx&X-Amz-Date=xxxxx)."},
      {"https://h.example/cb#access_token=abc, next",
       "https://h.example/cb#access_token=xxxxx, next"},
      {"https://h.example/cb?abc: next", "https://h.example/cb?xxxxx: next"},
      {"path /x?key=abc;b=c", "path /x?key=xxxxx;b=xxxxx"},
      {"couldn't parse image name \"me:pw@reg.example/app:1\"",
       "couldn't parse image name \"xxxxx@reg.example/app:1\""},
      {R"(\"https://u:p@h/\" \"x?a=b\")", R"(\"https://xxxxx@h/\" \"x?a=xxxxx\")"},
      {"a://u:p/b://q:r/@h", "a://xxxxx@h"},
      {R"({"url":"https:\/\/u:p@h\/x?y=z"})", R"({"url":"https://xxxxx@h/x?y=xxxxx"})"},
      {R"(\"https:\\/\\/u:p@h\\/x\" \)", R"(\"https://xxxxx@h/x\" \)"},
  };
  for (const auto& [text, expected] : rows)
    CHECK(without_url_secrets(text) == std::string(expected));
}

TEST_CASE("parts of URLs that are not secret stay", "[secrets]") {
  for (const char* text :
       {"", "no URL", "what? nothing #1 is wrong?", "ask jane@corp.example",
        R"(Post "https://hook.x.svc:443/validate?timeout=10s": EOF)",
        "https://auth.example/token?scope=repository%3Aa%2Fb%3Apull&service=registry.example",
        "https://npm.example:443/@scope/pkg", "reg.example:5000/team/app:1@sha256:0a1b",
        "app:1@sha256:0a1b", "User \"oidc:jane@corp.example\" cannot list", "?", "@", "://@", "a?b",
        "https://h.example/?", "https://h.example/?a=", "https://h.example/#"}) {
    CAPTURE(text);
    CHECK_FALSE(without_url_secrets(text));
  }
}

TEST_CASE("nested URLs take linear time", "[secrets]") {
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string unit :
       {"://?", "https://a?b=c&", "a://b:c/", "a://b:c/d@", "@://", R"(:\/\/@)", R"(\\\/)"}) {
    std::string text;
    while (text.size() < 2'000'000) text += unit;
    (void)without_url_secrets(text);
    (void)without_url_secrets(text + "@");
  }
  // Quadratic time would be minutes.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

TEST_CASE("no object keeps secrets of its URLs", "[secrets]") {
  const std::string url = "https://me:CANARY@h.example/x?token=CANARY";
  const auto with_message = [&](std::string_view kind, const std::string& rest) {
    return std::string(R"({"apiVersion":"v1","kind":")")
        .append(kind)
        .append(R"(","metadata":{"name":"a","namespace":"x"},)")
        .append(rest)
        .append("}");
  };
  const std::string containers = R"([{"name":"c","image":"me:CANARY@h.example/a?CANARY=CANARY"}])";
  const std::string state = R"({"waiting":{"reason":"x","message":")" + url +
                            R"("},"terminated":{"message":")" + url + R"("}})";
  const std::string objects[] = {
      with_message("Node",
                   R"("status":{"conditions":[{"type":"Ready","message":")" + url + R"("}]})"),
      with_message("Event",
                   R"("involvedObject":{"kind":"Pod","name":"p"},"message":")" + url + "\""),
      with_message("Pod", R"("spec":{"containers":)" + containers + R"(,"initContainers":)" +
                              containers + R"(},"status":{"message":")" + url +
                              R"(","conditions":[{"type":"Ready","message":")" + url +
                              R"("}],"containerStatuses":[{"name":"c","state":)" + state +
                              R"(,"lastState":)" + state + "}]}"),
  };
  decode::ClusterBuilder builder;
  for (const std::string& object : objects) {
    REQUIRE(builder.add_json(object + std::string(decode::json_padding, ' '), std::nullopt, {}));
  }
  const std::string ds =
      R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d","namespace":"x",
      "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"spec\":{\"template\":
      {\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"u:CANARY@h/b\"}]}}}}"}},
      "spec":{"template":{"spec":{"containers":)" +
      containers + "}}}}";
  std::string line = ds;
  std::erase(line, '\n');
  REQUIRE(builder.add_json(line + std::string(decode::json_padding, ' '), std::nullopt, {}));
  const model::Cluster cluster = builder.build();
  REQUIRE(cluster.daemon_sets.size() == 1);
  REQUIRE(cluster.daemon_sets.front().edits.size() == 1);
  CHECK(cluster.daemon_sets.front().edits.front().applied == "xxxxx@h/b");
  std::string saved;
  REQUIRE(decode::write_snapshot({}, cluster, [&](std::string_view piece) -> base::Status {
    saved += piece;
    return std::monostate{};
  }));
  CAPTURE(saved);
  CHECK(saved.find("xxxxx@h.example/x?token=xxxxx") != saved.npos);
  // Only values are removed, not the name of the parameter.
  std::size_t names = 0;
  for (std::size_t at = saved.find("CANARY"); at != saved.npos; at = saved.find("CANARY", at + 1)) {
    CHECK(saved.substr(at - 1, 8) == "?CANARY=");
    ++names;
  }
  CHECK(names == 4);
}
