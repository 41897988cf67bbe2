// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <protozero/pbf_writer.hpp>
#include <random>

#include "decode/cluster/list_decoder.h"
#include "decode/protobuf/protobuf_status.h"
#include "testing/gzip_file.h"

namespace dsdoctor::decode {
namespace {

using Catch::Matchers::Contains;
using protozero::pbf_writer;

std::string recorded(const std::string& name) {
  return testing::read_file(DSDOCTOR_TESTDATA "/wire/" + name);
}

struct Decoded {
  ListHead head;
  std::string early_token;
  model::Cluster cluster;
  std::string error;  // empty: none
};

/// The token that a scout finds in `body`.
std::string scouted(std::string_view body, Encoding encoding, std::size_t chunk) {
  TokenScout scout(encoding);
  for (std::size_t at = 0; at < body.size(); at += chunk) scout.feed(body.substr(at, chunk));
  return scout.token();
}

Decoded decode_list(std::string_view body, Kind kind, Encoding encoding, std::size_t chunk = 1000) {
  ClusterBuilder builder;
  ListDecoder decoder(builder, kind, {"body"}, encoding);
  Decoded result;
  for (std::size_t at = 0; at < body.size(); at += chunk) {
    if (const auto status = decoder.feed(body.substr(at, chunk)); !status) {
      result.error = base::to_string(status.error());
      return result;
    }
  }
  result.early_token = decoder.early_token();
  const auto head = decoder.finish();
  if (head) {
    result.head = *head;
  } else {
    result.error = base::to_string(head.error());
  }
  result.cluster = builder.build();
  return result;
}

std::string written(const std::function<void(pbf_writer&)>& write) {
  std::string bytes;
  pbf_writer writer(bytes);
  write(writer);
  return bytes;
}

std::string enveloped(const std::string& kind, const std::string& raw) {
  const std::string type = written([&](pbf_writer& out) {
    out.add_string(1, "v1");
    out.add_string(2, kind);
  });
  return std::string("k8s\0", 4) + written([&](pbf_writer& out) {
           out.add_message(1, type);
           out.add_message(2, raw);
           out.add_string(3, "");
           out.add_string(4, "");
         });
}

/// A list of one node; `write` adds fields after its name.
std::string protobuf_list(const std::function<void(pbf_writer&)>& write) {
  const std::string node = written([&](pbf_writer& out) {
    out.add_message(1, written([](pbf_writer& meta) { meta.add_string(1, "n1"); }));
    write(out);
  });
  return enveloped("NodeList", written([&](pbf_writer& out) {
                     out.add_message(1, written([](pbf_writer& meta) {
                                       meta.add_string(2, "7");
                                       meta.add_string(3, "next");
                                     }));
                     out.add_message(2, node);
                   }));
}

}  // namespace

TEST_CASE("protobuf and JSON of one list give the same cluster", "[decode][protobuf][wire]") {
  struct Row {
    const char* name;
    const char* json;
    Kind kind;
  };
  for (const Row& row : {Row{"nodes-page.protobuf", "nodes-page1.json", Kind::Node},
                         Row{"pods-page.protobuf", "pods-page.json", Kind::Pod}}) {
    const std::string body = recorded(row.name);
    Decoded from_json = decode_list(recorded(row.json), row.kind, Encoding::Json);
    REQUIRE(from_json.error.empty());
    // managedFields of most nodes are not read from lists in protobuf, but requested per node.
    for (model::Node& node : from_json.cluster.nodes) {
      if (node.taints.empty() && !node.unschedulable) node.meta.managers.clear();
    }
    for (model::Pod& pod : from_json.cluster.pods) pod.last_write.reset();
    for (const std::size_t chunk :
         {std::size_t{1}, std::size_t{7}, std::size_t{16384}, body.size()}) {
      CAPTURE(row.name, chunk);
      const Decoded found = decode_list(body, row.kind, Encoding::Protobuf, chunk);
      CHECK(found.error.empty());
      CHECK(found.cluster == from_json.cluster);
      CHECK(found.head.items == 5);
      CHECK(found.head.kind == from_json.head.kind);
      CHECK(found.head.resource_version == from_json.head.resource_version);
      CHECK(found.head.continue_token == from_json.head.continue_token);
      CHECK(found.head.remaining_items == from_json.head.remaining_items);
    }
  }
}

TEST_CASE("the token of the next page is known before the end of the items",
          "[decode][protobuf][wire]") {
  for (const auto& [name, encoding] : {std::pair{"nodes-page.protobuf", Encoding::Protobuf},
                                       {"nodes-page1.json", Encoding::Json}}) {
    CAPTURE(name);
    const std::string body = recorded(name);
    const Decoded half =
        decode_list(std::string_view(body).substr(0, body.size() / 2), Kind::Node, encoding);
    CHECK_FALSE(half.error.empty());
    const std::string token = decode_list(body, Kind::Node, encoding).head.continue_token;
    CHECK(half.early_token == token);
    CHECK_FALSE(token.empty());
    CHECK(scouted(body.substr(0, body.size() / 2), encoding, 1) == token);
    CHECK(scouted(body, encoding, 16384) == token);
    CHECK(scouted(body.substr(0, 40), encoding, 7).empty());
    CHECK(scouted("no list at all", encoding, 5).empty());
  }
  const std::string late = R"({"items":[{"metadata":{"name":"a"}}],"metadata":{"continue":"x"}})";
  const Decoded found = decode_list(late, Kind::Node, Encoding::Json);
  CHECK(found.early_token.empty());
  CHECK(found.head.continue_token == "x");
  CHECK(scouted(late, Encoding::Json, 10).empty());
}

TEST_CASE("unusual fields are decoded", "[decode][protobuf]") {
  SECTION("unknown fields of all types are skipped") {
    const auto found = decode_list(protobuf_list([](pbf_writer& out) {
                                     out.add_string(999, "new");
                                     out.add_uint64(998, 7);
                                     out.add_fixed32(997, 7);
                                     out.add_fixed64(996, 7);
                                   }),
                                   Kind::Node, Encoding::Protobuf, 3);
    CHECK(found.error.empty());
    CHECK(found.cluster.nodes.front().meta.name == "n1");
    CHECK(found.early_token == "next");
  }
  SECTION("a zero time is absent and a written false is false") {
    const auto found = decode_list(
        protobuf_list([](pbf_writer& out) {
          out.add_message(1, written([](pbf_writer& meta) {
                            meta.add_string(1, "n1");
                            meta.add_message(8, std::string());
                          }));
          out.add_message(2, written([](pbf_writer& spec) { spec.add_bool(4, false); }));
        }),
        Kind::Node, Encoding::Protobuf);
    CHECK(found.error.empty());
    CHECK_FALSE(found.cluster.nodes.front().meta.created);
    CHECK_FALSE(found.cluster.nodes.front().unschedulable);
  }
  SECTION("the features of a node") {
    const auto found = decode_list(protobuf_list([](pbf_writer& out) {
                                     out.add_message(3, written([](pbf_writer& status) {
                                                       status.add_string(14, "A");
                                                       status.add_string(14, "B");
                                                     }));
                                   }),
                                   Kind::Node, Encoding::Protobuf);
    CHECK(found.cluster.nodes.at(0).declared_features == std::vector<model::Text>{"A", "B"});
  }
  SECTION("a list may be empty") {
    const auto found = decode_list(enveloped("PodList", std::string("\x0a\x00", 2)), Kind::Pod,
                                   Encoding::Protobuf);
    CHECK(found.error.empty());
    CHECK(found.cluster.pods_known);
  }
}

TEST_CASE("fields that require a feature of the node are decoded", "[decode][protobuf]") {
  const auto text = [](std::uint32_t tag, const char* value) {
    return written([&](pbf_writer& out) { out.add_string(tag, value); });
  };
  const std::string security_of_container = written([&](pbf_writer& out) {
    out.add_message(1, text(1, "SYS_ADMIN") + text(1, "BPF") + text(2, "ALL"));
    out.add_message(11, text(1, "OCI"));
  });
  const std::string container = written([&](pbf_writer& out) {
    out.add_string(1, "main");
    out.add_string(3, "--secret=/plugins/");
    out.add_string(4, "--endpoint=unix:///var/lib/kubelet/plugins/a.example.com/csi.sock");
    out.add_message(7, text(1, "DRIVER_NAME") + text(2, "b.example.com"));
    out.add_message(7, text(1, "PASSWORD") + text(2, "c.example.com"));
    out.add_message(9, text(1, "token") + text(3, "/var/run/secrets/kubernetes.io/serviceaccount"));
    out.add_message(9,
                    text(1, "plain") + written([](pbf_writer& part) { part.add_bool(2, true); }));
    out.add_message(9, text(1, "data") + text(8, "noexec"));
    out.add_message(15, security_of_container);
    out.add_message(25, text(1, "RestartAllContainers"));
  });
  const auto volume = [&](const char* name, const char* key_type) {
    const std::string certificate =
        written([&](pbf_writer& out) { out.add_message(6, text(2, key_type)); });
    const std::string sources = written([&](pbf_writer& out) { out.add_message(1, certificate); });
    const std::string source = written([&](pbf_writer& out) { out.add_message(26, sources); });
    return text(1, name) + written([&](pbf_writer& out) { out.add_message(2, source); });
  };
  const std::string socket =
      text(1, "socket") + written([&](pbf_writer& volume_out) {
        volume_out.add_message(2, written([&](pbf_writer& source) {
                                 source.add_message(1, text(1, "/run/a") + text(2, "Socket"));
                               }));
      });
  const std::string pod = written([&](pbf_writer& out) {
    out.add_message(1, text(1, "p") + text(3, "x"));
    out.add_message(2, written([&](pbf_writer& spec) {
                      spec.add_message(1, volume("old", "ED25519"));
                      spec.add_message(1, volume("cert", "MLDSA44"));
                      spec.add_message(1, socket);
                      spec.add_message(2, container);
                      spec.add_message(14, written([&](pbf_writer& security) {
                                         security.add_message(
                                             10, text(1, "Localhost") + text(2, "a.json"));
                                       }));
                      spec.add_bool(37, false);
                    }));
  });
  const auto found = decode_list(enveloped("PodList", written([&](pbf_writer& out) {
                                             out.add_message(1, std::string());
                                             out.add_message(2, pod);
                                           })),
                                 Kind::Pod, Encoding::Protobuf);
  CHECK(found.error.empty());
  const model::PodSpec& spec = *found.cluster.pods.at(0).spec;
  CHECK(spec.host_users == false);
  CHECK(spec.seccomp_type == "Localhost");
  CHECK(spec.seccomp_profile == "a.json");
  CHECK(spec.containers.at(0).seccomp_type == "OCI");
  CHECK(spec.containers[0].added_capabilities == std::vector<model::Text>{"SYS_ADMIN", "BPF"});
  CHECK(spec.containers[0].dropped_capabilities == std::vector<model::Text>{"ALL"});
  CHECK(spec.containers[0].restart_actions == std::vector<model::Text>{"RestartAllContainers"});
  CHECK(spec.containers[0].mounts ==
        std::vector<model::VolumeMount>{{.name = "plain", .read_only = true, .bind_options = {}},
                                        {.name = "data", .bind_options = {"noexec"}}});
  CHECK(spec.containers[0].plugin_drivers ==
        std::vector<model::Text>{"a.example.com", "b.example.com"});
  REQUIRE(spec.volumes.size() == 2);
  CHECK(spec.volumes[0].certificate_key == "MLDSA44");
  CHECK(spec.volumes[1].must_exist);
}

TEST_CASE("invalid protobuf is rejected", "[decode][protobuf]") {
  const std::string good = protobuf_list([](pbf_writer&) {});
  const auto error = [](std::string_view body, Kind kind = Kind::Node) {
    return decode_list(body, kind, Encoding::Protobuf).error;
  };
  CHECK(error(good).empty());
  CHECK_THAT(error("<html>"), Contains("does not begin with k8s"));
  CHECK_THAT(error(""), Contains("cut off"));
  CHECK_THAT(error("k8s"), Contains("cut off"));
  CHECK_THAT(error(std::string_view(good).substr(0, good.size() - 9)), Contains("cut off"));
  CHECK_THAT(error(good, Kind::Pod),
             Contains("the server answered with a NodeList, expected a PodList"));
  CHECK_THAT(error(enveloped("PodList", std::string("\x0a\x00", 2))),
             Contains("expected a NodeList"));
  CHECK_THAT(error(enveloped("NodeList", "\x12\x7f")), Contains("byte 22"));
  CHECK_THAT(error(std::string("k8s\0", 4) + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
             Contains("does not end"));
  CHECK_THAT(error(std::string("k8s\0\x0b", 5)), Contains("unknown type"));  // a group
  CHECK_THAT(error(std::string("k8s\0\x12\x01x", 7)), Contains("has no kind"));
  SECTION("a known field of the wrong type names the object") {
    const auto body = protobuf_list([](pbf_writer& out) {
      out.add_message(2, written([](pbf_writer& spec) { spec.add_string(4, "yes"); }));
    });
    CHECK_THAT(error(body), Contains("body Node/n1: the protobuf is not valid"));
  }
  SECTION("a field without a value is rejected") {
    const auto body =
        protobuf_list([](pbf_writer& out) { out.add_message(2, std::string("\x20", 1)); });
    CHECK_THAT(error(body), Contains("Node/n1: the protobuf is not valid"));
  }
  SECTION("an object without a name is rejected") {
    const auto body = enveloped("NodeList", std::string("\x0a\x00\x12\x00", 4));
    CHECK_THAT(error(body), Contains("items[0]") && Contains("metadata.name is missing"));
  }
}

TEST_CASE("JSON of another kind than requested is rejected", "[decode]") {
  const auto error = [](std::string_view kind) {
    return decode_list(R"({"kind":")" + std::string(kind) + R"(","items":[]})", Kind::Node,
                       Encoding::Json)
        .error;
  };
  CHECK(error("NodeList").empty());
  CHECK(error("PodList") == "body: the server answered with a PodList, expected a NodeList");
  const auto found = decode_list(R"({"kind":"PodList","items":[{"metadata":{"name":"a"}}]})",
                                 Kind::Node, Encoding::Json);
  CHECK_THAT(found.error, Contains("answered with a PodList"));
  CHECK(found.cluster.nodes.empty());
  CHECK(decode_list(R"({"kind":"NodeList","metadata":{}})", Kind::Node, Encoding::Json)
            .error.empty());
}

TEST_CASE("a Status in protobuf is read", "[decode][protobuf][wire]") {
  const std::string body = recorded("status-404.protobuf");
  CHECK_THAT(decode_list(body, Kind::Node, Encoding::Protobuf, 3).error,
             Contains("answered with a Status"));
  const auto status = read_protobuf_status(body);
  REQUIRE(status);
  CHECK(status->status == "Failure");
  CHECK(status->reason == "NotFound");
  CHECK(status->code == 404);
  CHECK(status->message == "daemonsets.apps \"none\" not found");
  CHECK_FALSE(read_protobuf_status(std::string_view(body).substr(0, 60)));
  CHECK_FALSE(read_protobuf_status(recorded("status-404.json")));
  CHECK_FALSE(read_protobuf_status(recorded("nodes-page.protobuf")));
}

TEST_CASE("damaged bodies never crash the decoder", "[decode][protobuf][fuzz]") {
  std::mt19937 random(11);
  const auto pick = [&](std::size_t n) { return std::size_t(random() % n); };
  std::size_t refused = 0;
  for (const auto& [name, kind] :
       {std::pair{"nodes-page.protobuf", Kind::Node}, {"pods-page.protobuf", Kind::Pod}}) {
    const std::string body = recorded(name);
    for (int round = 0; round < 3000; ++round) {
      std::string damaged = body;
      for (std::size_t changes = 1 + pick(6); changes > 0; --changes) {
        const std::size_t at = pick(damaged.size());
        switch (pick(4)) {
          case 0: damaged[at] = static_cast<char>(pick(256)); break;
          case 1: damaged.erase(at, 1 + pick(40)); break;
          case 2: damaged.insert(at, body.substr(pick(body.size()), 1 + pick(40))); break;
          default: damaged.resize(at + 1);
        }
      }
      const Decoded found = decode_list(damaged, kind, Encoding::Protobuf, 1 + pick(20'000));
      if (!found.error.empty()) ++refused;
      (void)read_protobuf_status(damaged);
    }
  }
  CHECK(refused > 3000);
}

}  // namespace dsdoctor::decode
