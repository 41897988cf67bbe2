// SPDX-License-Identifier: Apache-2.0
#include "decode/bulk/item_batches.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "decode/cluster/cluster_builder.h"
#include "decode/cluster/json_stream.h"

namespace dsdoctor::decode {
namespace {

// Enough for some batches of the first thread, then some for the second.
constexpr std::size_t many = 30'000;

std::string item(std::size_t i) {
  const std::string padding(200 + i % 37, 'x');
  if (i % 5 == 0) {
    return fmt::format(
        R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"node-{0:05}","labels":{{"zone":"z{1}"}}}},)"
        R"("spec":{{"taints":[{{"key":"k{1}","effect":"{2}"}}]}},"status":{{"images":["{3}"]}}}})",
        i, i % 7, i % 1000 == 0 ? "Never" : "NoSchedule", padding);
  }
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"pod-{0}","namespace":"ns-{1}",)"
      R"("ownerReferences":[{{"controller":true,"kind":"DaemonSet","name":"d{1}","uid":"u{1}"}}]}},)"
      R"("spec":{{"nodeName":"node-{0:05}","containers":[{{"name":"c","image":"i{1}"}}]}},)"
      R"("status":{{"phase":"Running","message":"{2}"}}}})",
      i, i % 9, padding);
}

std::string list_of(const std::vector<std::string>& items) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"List","items":[{}]}})", fmt::join(items, ","));
}

std::vector<std::string> items() {
  std::vector<std::string> result;
  result.reserve(many);
  for (std::size_t i = 0; i < many; ++i) result.push_back(item(i));
  return result;
}

base::Status stream(const std::string& text, ClusterBuilder& builder) {
  const ObjectSink target{builder, std::nullopt, "", nullptr};
  JsonStream into("list.json", target);
  for (std::size_t at = 0; at < text.size(); at += 100'000) {
    auto fed = into.feed(std::string_view(text).substr(at, 100'000));
    if (!fed) return fed;
  }
  return into.finish();
}

}  // namespace

TEST_CASE("two threads decode a list like one thread", "[batches]") {
  const std::vector<std::string> all = items();
  ClusterBuilder alone;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string padded = all[i] + std::string(json_padding, ' ');
    const auto one = std::string_view(padded).substr(0, all[i].size());
    REQUIRE(alone.add_json(one, std::nullopt, {"list.json", i}));
  }
  ClusterBuilder together;
  REQUIRE(stream(list_of(all), together));
  const auto warnings = alone.take_warnings();
  CHECK(warnings.size() == many / 1000);
  CHECK(together.take_warnings() == warnings);  // in the order of the items
  const model::Cluster expected = alone.build();
  const model::Cluster found = together.build();
  CHECK(found.nodes == expected.nodes);
  CHECK(found.pods == expected.pods);
  CHECK(found.pods.size() + found.nodes.size() == many);
}

TEST_CASE("the first invalid item of a list is reported", "[batches]") {
  std::vector<std::string> all = items();
  for (const std::size_t i : {27'000, 27'001, 29'500}) {
    all[i] = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"broken-)" + std::to_string(i) +
             R"(","namespace":"x"},"spec":{"nodeName":1}})";
  }
  // An object added directly does not overtake the batches.
  all[27'002] =
      R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"later"},"spec":1})";
  ClusterBuilder builder;
  const auto status = stream(list_of(all), builder);
  REQUIRE_FALSE(status);
  CHECK(status.error().where == "list.json Pod/x/broken-27000 spec.nodeName");
}

TEST_CASE("batches can be abandoned without a flush", "[batches]") {
  ObjectDecoder decoder;
  std::size_t taken = 0;
  {
    ItemBatches batches(decoder, [&](ItemBatches::Decoded /*decoded*/, Kind /*kind*/, std::size_t) {
      ++taken;
      return base::Status(std::monostate{});
    });
    for (std::size_t i = 1; i < many; i += 5) REQUIRE(batches.add(item(i), Kind::Pod, i));
  }  // no flush, like after an error
  CHECK(taken < many / 5);
}

}  // namespace dsdoctor::decode
