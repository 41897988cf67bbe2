// SPDX-License-Identifier: Apache-2.0
#include "decode/watch/watch_decoder.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <protozero/pbf_writer.hpp>

namespace dsdoctor::decode {
namespace {

using Catch::Matchers::Contains;
using protozero::pbf_writer;

/// A line for each event of a body that arrives in pieces of `size` bytes.
struct Heard {
  std::vector<std::string> lines;
  std::string error;
  std::vector<model::Warning> warnings;
};

std::string line_of(const WatchEvent& event) {
  std::string line;
  if (const auto* seen = std::get_if<ObjectSeen>(&event.what)) {
    std::visit([&](const auto& each) { line = "seen " + each.meta.name.str(); }, seen->object);
  } else if (const auto* gone = std::get_if<ObjectGone>(&event.what)) {
    line = "gone " + gone->ns + "/" + gone->name;
  } else if (const auto* mark = std::get_if<Bookmark>(&event.what)) {
    line = mark->ends_initial_events ? "end" : "bookmark";
  } else if (const auto* error = std::get_if<WatchError>(&event.what)) {
    line = "error " + std::to_string(error->code) + " " + error->reason + ": " + error->message;
  }
  return event.resource_version.empty() ? line : line + " @" + event.resource_version;
}

Heard hear(const std::string& body, Kind kind, Encoding encoding, std::size_t size) {
  Heard heard;
  WatchDecoder decoder(kind, "/watch", [&](const WatchEvent& event) -> base::Status {
    heard.lines.push_back(line_of(event));
    return std::monostate{};
  });
  decoder.begin(encoding);
  for (std::size_t at = 0; at < body.size() && heard.error.empty(); at += size) {
    // A copy of the exact size, so that a sanitizer sees reads beyond it.
    const std::string chunk(std::string_view(body).substr(at, size));
    if (const auto status = decoder.feed(chunk); !status) heard.error = to_string(status.error());
  }
  heard.warnings = decoder.take_warnings();
  return heard;
}

using Lines = std::vector<std::string>;

TEST_CASE("a recorded watch is decoded, however it is cut", "[decode][watch][row 131][row 133]") {
  std::ifstream stream(std::string(DSDOCTOR_TESTDATA) + "/wire/nodes-watch.jsonl");
  const std::string body{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t size = GENERATE(1, 2, 7, 4096, 1'000'000);
  const Heard heard = hear(body, Kind::Node, Encoding::Json, size);
  CHECK(heard.error.empty());
  CHECK(heard.warnings.empty());
  CHECK(heard.lines == Lines{"seen node-0000 @226", "seen node-0001 @5438", "seen node-0002 @5680",
                             "seen node-0003 @5181", "seen node-0004 @240", "seen node-0005 @244"});
}

TEST_CASE("events need not be lines", "[decode][watch]") {
  const std::string body =
      R"( {"object":{"metadata":{"name":"a}{\"","namespace":"x","resourceVersion":"5"}},"type":"ADDED"})"
      R"({"type":"DELETED","object":{"kind":"Pod","metadata":{"name":"b","namespace":"x",)"
      R"("resourceVersion":"6"}}})"
      "\r\n\n"
      R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"7","annotations":)"
      R"({"k8s.io/initial-events-end":"true"}}}})"
      R"({"type":"ERROR","object":{"kind":"Status","message":"too old","reason":"Expired",)"
      R"("code":410}})";
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, body.size()}) {
    const Heard heard = hear(body, Kind::Pod, Encoding::Json, size);
    CHECK(heard.error.empty());
    CHECK(heard.lines ==
          Lines{"seen a}{\" @5", "gone x/b @6", "end @7", "error 410 Expired: too old"});
  }
}

TEST_CASE("an object that cannot be decoded is left out", "[decode][watch]") {
  const std::string body =
      R"({"type":"ADDED","object":{"metadata":{"name":"a","namespace":"x"},"spec":{"nodeName":7}}})"
      R"({"type":"MODIFIED","object":{"metadata":{"name":"b","namespace":"x"}}})";
  const Heard heard = hear(body, Kind::Pod, Encoding::Json, 100);
  CHECK(heard.error.empty());
  CHECK(heard.lines == Lines{"seen b"});
  REQUIRE(heard.warnings.size() == 1);
  CHECK_THAT(heard.warnings[0].where, Contains("x/a"));
  CHECK_THAT(heard.warnings[0].what, Contains("; ignored"));
}

TEST_CASE("other bodies than a watch are an error", "[decode][watch]") {
  const auto error = [](const std::string& body, Encoding encoding = Encoding::Json) {
    return hear(body, Kind::Pod, encoding, 5).error;
  };
  CHECK_THAT(error("<html>"), Contains("/watch: the answer is not a watch"));
  CHECK_THAT(error("]"), Contains("the answer is not a watch"));
  CHECK_THAT(error("\"x\""), Contains("the answer is not a watch"));
  CHECK_THAT(error(R"({"kind":"PodList","items":[]})"), Contains("has no type or no object"));
  CHECK_THAT(error(R"({"type":"RENAMED","object":{}})"), Contains("has no type or no object"));
  CHECK_THAT(error(R"({"type":"ADDED","object":7})"), Contains("has no type or no object"));
  CHECK_THAT(error(std::string("\xff\xff\xff\xff", 4), Encoding::Protobuf),
             Contains("an event of the watch has 4294967295 bytes"));
  CHECK_THAT(error(std::string("\0\0\0\x02\xff\xff", 6), Encoding::Protobuf),
             Contains("the protobuf is not valid"));
}

TEST_CASE("an object that is not JSON is read as far as it is", "[decode][watch]") {
  for (const char* object :
       {R"({"kind": "Node" j "metadata": {"name": "n", "resourceVersion": "3"}})",
        R"({"metadata": {"resourceVersion" "3"}})", R"({"code": 410 x, "reason": "Expired"})",
        R"({"code": "410", "reason": {}, "message": [}})"}) {
    for (const char* type : {"ADDED", "DELETED", "BOOKMARK", "ERROR"}) {
      CAPTURE(type, object);
      const std::string body =
          std::string(R"({"type": ")") + type + R"(", "object": )" + object + "}\n";
      const Heard heard = hear(body, Kind::Node, Encoding::Json, 1000);
      CHECK(heard.lines.size() + heard.warnings.size() + heard.error.size() > 0);
    }
  }
}

TEST_CASE("an endless event is an error", "[decode][watch]") {
  WatchDecoder decoder(Kind::Pod, "/watch",
                       [](const WatchEvent&) -> base::Status { return std::monostate{}; });
  decoder.begin(Encoding::Json);
  REQUIRE(decoder.feed("{\"type\":\""));
  const std::string more(8U << 20U, 'x');
  base::Status status = std::monostate{};
  std::size_t fed = 0;
  for (; status && fed < 2 * WatchDecoder::max_event_bytes; fed += more.size()) {
    status = decoder.feed(more);
  }
  REQUIRE_FALSE(status);
  CHECK_THAT(to_string(status.error()), Contains("an event of the watch is larger than"));
  CHECK_FALSE(decoder.feed("\"}"));  // the error stays
  decoder.begin(Encoding::Json);
  CHECK(decoder.feed("{"));
}

/// A frame with an enveloped object, as an API server sends it.
std::string frame(const std::string& type, const std::string& kind, const std::string& object) {
  std::string type_meta;
  pbf_writer meta(type_meta);
  meta.add_string(1, "v1");
  meta.add_string(2, kind);
  std::string unknown;
  pbf_writer envelope(unknown);
  envelope.add_message(1, type_meta);
  envelope.add_message(2, object);
  std::string raw;
  pbf_writer(raw).add_bytes(1, std::string("k8s\0", 4) + unknown);
  std::string event;
  pbf_writer out(event);
  out.add_string(1, type);
  out.add_message(2, raw);
  std::string length(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) {
    length[i] = static_cast<char>((event.size() >> (24 - 8 * i)) & 0xFFU);
  }
  return length + event;
}

std::string object(const std::string& name, const std::string& version, bool ends = false) {
  std::string meta;
  pbf_writer fields(meta);
  fields.add_string(1, name);
  fields.add_string(3, "x");
  fields.add_string(6, version);
  if (ends) {
    std::string entry;
    pbf_writer annotation(entry);
    annotation.add_string(1, "k8s.io/initial-events-end");
    annotation.add_string(2, "true");
    fields.add_message(12, entry);
  }
  std::string result;
  pbf_writer(result).add_message(1, meta);
  return result;
}

TEST_CASE("a watch in protobuf is decoded", "[decode][watch][protobuf]") {
  std::string status;
  pbf_writer fields(status);
  fields.add_string(3, "too old");
  fields.add_string(4, "Expired");
  fields.add_int32(6, 410);
  const std::string body =
      frame("ADDED", "Pod", object("a", "5")) + frame("BOOKMARK", "Pod", object("", "6")) +
      frame("BOOKMARK", "Pod", object("", "7", true)) + frame("DELETED", "Pod", object("a", "8")) +
      frame("ERROR", "Status", status);
  for (const std::size_t size : {std::size_t{1}, std::size_t{5}, body.size()}) {
    const Heard heard = hear(body, Kind::Pod, Encoding::Protobuf, size);
    CHECK(heard.error.empty());
    CHECK(heard.lines ==
          Lines{"seen a @5", "bookmark @6", "end @7", "gone x/a @8", "error 410 Expired: too old"});
  }
}

}  // namespace
}  // namespace dsdoctor::decode
