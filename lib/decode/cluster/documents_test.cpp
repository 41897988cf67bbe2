// SPDX-License-Identifier: Apache-2.0
#include "decode/cluster/documents.h"

#include <catch2/catch.hpp>
#include <random>

#include "decode/cluster/document_stream.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;
using decode::ClusterBuilder;
using decode::Kind;

namespace {

struct ReadDocuments {
  std::string error;
  model::Cluster cluster;
  std::size_t skipped = 0;
  bool saw_pods = false;
  std::vector<std::string> warnings;
};

template <typename Decode>
ReadDocuments read_with(const Decode& decode) {
  ReadDocuments result;
  ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  const base::Status status = decode(builder, warnings);
  if (!status) result.error = base::to_string(status.error());
  result.skipped = builder.skipped();
  result.saw_pods = builder.saw(Kind::Pod);
  for (const auto& warning : warnings) {
    result.warnings.push_back(warning.where + ": " + warning.what);
  }
  result.cluster = builder.build();
  return result;
}

/// A text in pieces of `length` bytes.
class Pieces final : public decode::ByteStream {
 public:
  Pieces(std::string_view text, std::size_t length) : rest_(text), length_(length) {}
  base::Result<std::string_view> next() override {
    const std::string_view piece = rest_.substr(0, length_);
    rest_.remove_prefix(piece.size());
    return piece;
  }

 private:
  std::string_view rest_;
  std::size_t length_;
};

ReadDocuments streamed(const std::string& content, std::size_t length) {
  return read_with([&](ClusterBuilder& builder, std::vector<model::Warning>& warnings) {
    Pieces pieces(content, length);
    decode::StreamedFile file{pieces, "x"};
    file.held = 0;
    return decode::read_document_stream(file, builder, warnings);
  });
}

/// Reads the content in several ways and checks that the results are equal.
ReadDocuments read_documents(const std::string& content, const std::string& file = "x") {
  ReadDocuments result =
      read_with([&](ClusterBuilder& builder, std::vector<model::Warning>& warnings) {
        return decode::read_documents(content, file, builder, warnings);
      });
  if (!result.error.empty()) return result;
  for (const std::size_t length :
       {std::size_t{1}, std::size_t{7}, std::size_t{64}, content.size() + 1}) {
    CAPTURE(content.substr(0, 200), length);
    const ReadDocuments same = streamed(content, length);
    CHECK(same.error == result.error);
    CHECK(same.cluster == result.cluster);
    CHECK(same.skipped == result.skipped);
    CHECK(same.saw_pods == result.saw_pods);
  }
  return result;
}

std::vector<std::string> node_names(const ReadDocuments& read_documents) {
  std::vector<std::string> names;
  for (const auto& node : read_documents.cluster.nodes) names.push_back(node.meta.name.str());
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("every shape of input that kubectl prints is read", "[decode][documents]") {
  const auto [what, content] = GENERATE(table<std::string, std::string>({
      {"one object", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})"},
      {"a List", R"({"apiVersion":"v1","kind":"List","items":[
           {"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}]})"},
      {"a list of one kind, its items without kind",
       R"({"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]})"},
      {"the kind behind the items",
       R"({"apiVersion":"v1","items":[{"metadata":{"name":"a"}}],"kind":"NodeList"})"},
      {"a list without kind",
       R"({"items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}]})"},
      {"a List in a List", R"({"kind":"List","apiVersion":"v1","items":[
           {"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}]})"},
      {"several values behind each other",
       "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[]}\n"
       "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}\n"},
      {"a byte order mark",
       "\xEF\xBB\xBF{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}"},
      {"values with --- between them",
       "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[]}\n---\n"
       "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}\n---\n"},
      {"joined files with a byte order mark each",
       "\xEF\xBB\xBF{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[]}\n"
       "\xEF\xBB\xBF{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}"},
      {"JSON and behind it YAML",
       "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[]}\n---\n"
       "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"},
      {"YAML and behind it JSON",
       "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n"
       "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[]}\n"},
      {"YAML", "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"},
      {"joined YAML files with a byte order mark each",
       "\xEF\xBB\xBFkind: Other\napiVersion: v1\n---\n"
       "\xEF\xBB\xBF"
       "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"},
      {"YAML with a byte order mark",
       "\xEF\xBB\xBFkind: Node\napiVersion: v1\nmetadata: {name: a}\n"},
      {"YAML with CRLF", "apiVersion: v1\r\nkind: Node\r\nmetadata:\r\n  name: a\r\n"},
      {"YAML documents",
       "---\n# nothing\n---\nkind: Other\napiVersion: v1\n---\napiVersion: v1\n"
       "kind: Node\nmetadata: {name: a}\n...\n"},
      {"a YAML list of one kind",
       "apiVersion: v1\nitems:\n- metadata: {name: a}\nkind: NodeList\n"},
      {"a List in a YAML List",
       "kind: List\napiVersion: v1\nitems:\n- kind: NodeList\n  items:\n"
       "  - metadata: {name: a}\n"},
      {"YAML in flow style", "{apiVersion: v1, kind: Node, metadata: {name: a}}\n"},
      {"a quoted name that looks like a number is text either way",
       "apiVersion: v1\nkind: Node\nmetadata: {name: \"a\", labels: {rack: \"7\", on: 'true'}}\n"},
  }));
  CAPTURE(what);
  const ReadDocuments found = read_documents(content);
  CHECK(found.error.empty());
  CHECK(node_names(found) == Names{"a"});
  CHECK(found.warnings.empty());
}

TEST_CASE("an empty list means that no object of its kind exists", "[decode][documents]") {
  const std::string content =
      GENERATE(R"({"kind":"PodList","apiVersion":"v1","items":[]})",
               R"({"kind":"PodList","apiVersion":"v1","items":null})",
               "kind: PodList\napiVersion: v1\nitems: []\n", "kind: PodList\nitems:\n");
  CAPTURE(content);
  const ReadDocuments found = read_documents(content);
  CHECK(found.error.empty());
  CHECK(found.saw_pods);
  CHECK(found.cluster.pods_known);
  CHECK_FALSE(found.cluster.nodes_known);
}

TEST_CASE("objects of other kinds are counted also in lists", "[decode][documents]") {
  CHECK(read_documents(R"({"kind":"SecretList","items":[{},{}]})").skipped == 2);
  CHECK(read_documents("kind: ConfigMapList\nitems: [{}, {}, {}]\n").skipped == 3);
  CHECK(read_documents("kind: Secret\napiVersion: v1\n").skipped == 1);
  // An object with a field `items` that is not a list.
  CHECK(read_documents(R"({"kind":"Menu","apiVersion":"v1","items":[{"kind":"Node"}]})").skipped ==
        1);
  CHECK(read_documents("kind: Menu\napiVersion: v1\nitems: [{kind: Node}]\n").skipped == 1);
}

TEST_CASE("a duplicate key in YAML causes a warning", "[decode][documents]") {
  const ReadDocuments found =
      read_documents("kind: Node\napiVersion: v1\nmetadata:\n  name: a\n  name: b\n", "n.yaml");
  CHECK(node_names(found) == Names{"b"});
  CHECK(found.warnings ==
        Names{"n.yaml:5: duplicate key \"name\" in one mapping; the last one counts"});
}

TEST_CASE("errors in a file include their position", "[decode][documents]") {
  const auto [file, complaint] = GENERATE(table<std::string, std::string>({
      {"empty.json", ": the file is empty; expected JSON or YAML"},
      {"only-blanks.yaml", ": the file is empty; expected JSON or YAML"},
      {"cut-off-in-object.json",
       ":5:53: unexpected end of file inside items[1].metadata.labels; is the file cut off?"},
      {"cut-off-in-text.json",
       ":1:55: unexpected end of file inside items[0].metadata.name; is the file cut off?"},
      {"trailing-comma.json", ":5:2: unexpected comma before ] inside items[1]: remove it"},
      {"missing-comma.json", ":3:2: unexpected \"items\": []; expected a comma or }"},
      {"missing-colon.json", ":2:9: unexpected \"List\" inside kind; expected a colon"},
      {"single-quotes.json",
       ":1:10: unexpected \"'List'}\" inside kind; expected a value: a string in double quotes, a "
       "number, true, false, null, [ or {"},
      {"comment.json", ":1:18: unexpected \"// nodes\"; expected a key in double quotes"},
      {"python-word.json",
       ":1:37: unexpected \"True}\" inside ok; expected a value: a string in double quotes, a "
       "number, true, false, null, [ or {"},
      {"bad-escape.json",
       ":1:14: expected one of \" \\ / b f n r t u after the backslash inside kind"},
      {"line-break-in-text.json",
       ":1:13: a string contains a line break or another control character inside kind"},
      {"bytes-after-the-end.json", ":3:1: the object has ended before \"Error from s\""},
      {"bracket-too-many.json", ":1:30: the object has ended before \"}\""},
      {"array-at-the-top.json",
       " items[1]: expected an object with apiVersion and kind; kind is missing"},
      {"items-is-an-object.json", ": items of the NodeList is not an array"},
      {"item-is-null.json", ": items[0] is null; expected an object"},
      {"item-is-a-list-of-garbage.json",
       ":1:89: unexpected \"tru e,,,1 2]\" inside items[0].spec[0]; expected a value: a string in "
       "double quotes, a number, true, false, null, [ or {"},
      {"nested-too-deep.json", ":1:1: values are nested more than 1000 levels deep"},
      {"node-without-name.json", " items[1] (Node): metadata.name is missing"},
      {"kind-missing.json",
       " items[0]: expected an object with apiVersion and kind; kind is missing"},
      {"invalid-utf8.json", ":2:13: the text is not valid UTF-8"},
      {"utf16.json",
       ": this is UTF-16 text, not JSON or YAML; save it as UTF-8; Windows PowerShell does with: | "
       "Out-File -Encoding utf8"},
      {"gzip.json", ": this is gzip-compressed data, not JSON or YAML; decompress it first"},
      {"binary.json", ": this is binary data, not JSON or YAML"},
      {"login-page.json",
       ": this is an HTML page, not JSON or YAML; a proxy or a login page answered instead of the "
       "API server"},
      {"tab-in-indentation.yaml", ":3:1: a tab is used for indentation; YAML allows only spaces"},
      {"wrong-indentation.yaml",
       ":4:2: unexpected end of the mapping: a line is not indented like the others, or its key "
       "has no colon"},
      {"colon-in-text.yaml",
       ":3:10: unexpected value: check the indentation, and quote a string that contains \": \""},
      {"quote-not-closed.yaml", ":1:7: the quoted string that begins here is not closed"},
      {"bracket-not-closed.yaml", ":4:1: a list opened with [ is not closed"},
      {"unknown-anchor.yaml", ":2:7: an alias refers to an anchor that is not defined"},
      {"alias-of-itself.yaml", ":3:6: an alias refers to a value that contains it"},
      {"alias-bomb.yaml",
       ":6:4: values with anchors contain each other and come to more than 16 times the size of "
       "the "
       "file; write the values out"},
      {"nested-too-deep.yaml", ":1:503: values are nested more than 500 levels deep"},
      {"template-not-rendered.yaml",
       ":3:10: a mapping or list is used as a key; is this a template that was not rendered?"},
      {"cut-off-between-items.yaml",
       ": a list without kind; is the file cut off? kind: List comes after items"},
      {"cut-off-in-key.yaml", ":5:5: the colon after this key is missing; is the file cut off?"},
      {"cut-off-in-brackets.yaml", ":5:24: a mapping opened with { is not closed"},
      {"control-character.yaml",
       ":4:15: unexpected control character (U+0004); YAML allows it only as an escape in double "
       "quotes"},
      {"stray-comma.yaml",
       ":4:2: unexpected text after the value: a line is not indented like the others, or a "
       "document does not begin with ---"},
      {"plain-text.yaml",
       ": this is the output of kubectl get that found nothing, not JSON or YAML; save the objects "
       "instead: kubectl get ... -o json"},
      {"item-is-text.yaml", ": items[1] is a string; expected an object"},
      {"token-is-number.json", ": metadata.continue: expected a string"},
      {"token-is-number.yaml", ": metadata.continue: expected a string"},
      {"count-beyond-32-bits.json",
       " DaemonSet/logging/agent status.numberMisscheduled: expected a 32-bit integer"},
      {"number-as-label.yaml",
       " Node/a metadata.labels[example.com/rack]: expected a string, found a number"},
  }));
  const std::string content = testing::read_file(DSDOCTOR_TESTDATA "/malformed/" + file);
  CHECK(read_documents(content, file).error == file + complaint);
}

TEST_CASE("a bare array and objects without kind are read if the kind is known",
          "[decode][documents]") {
  const auto [content, nodes] = GENERATE(table<std::string, std::size_t>({
      {R"([{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}])", 2},
      {R"([{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}},{"metadata":{"name":"b"}}])",
       2},
      {R"([{"apiVersion":"v1","kind":"Secret"},{"kind":"Node","metadata":{"name":"b"}}])", 1},
      {R"({"kind":"List","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]})", 1},
      {R"({"items":[{"metadata":{"name":"a"}}]})", 1},
      {R"({"metadata":{"name":"a"}})", 1},
      {"- metadata: {name: a}\n- metadata: {name: b}\n", 2},
      {"metadata: {name: a}\n", 1},
      {"[]", 0},
      {"null", 0},
  }));
  CAPTURE(content);
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  REQUIRE(decode::read_documents(content, "x", builder, warnings, {decode::Kind::Node}));
  CHECK(builder.saw(decode::Kind::Node));
  CHECK(builder.build().nodes.size() == nodes);
}

TEST_CASE("a list of a kind in another API group is skipped", "[decode][documents]") {
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  REQUIRE(decode::read_documents(
      R"({"apiVersion":"config.openshift.io/v1","kind":"NodeList","items":[{"metadata":{}}]})", "x",
      builder, warnings));
  CHECK_FALSE(builder.saw(decode::Kind::Node));
  CHECK(builder.skipped() == 1);
}

TEST_CASE("YAML after JSON keeps its line numbers", "[decode][documents]") {
  CHECK(read_documents("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[]}\n---\na: b: c\n")
            .error ==
        "x:3:5: unexpected value: check the indentation, and quote a string that contains \": \"");
}

TEST_CASE("a file cut off anywhere is rejected", "[decode][documents]") {
  const std::string whole =
      testing::read_file(DSDOCTOR_TESTDATA "/clusters/controller-forbidden.json");
  for (std::size_t size = 0; size + 2 < whole.size(); size += 9973) {
    CAPTURE(size);
    CHECK_FALSE(read_documents(whole.substr(0, size)).error.empty());
    CHECK_FALSE(streamed(whole.substr(0, size), 4096).error.empty());
  }
  CHECK(read_documents(whole).error.empty());
}

TEST_CASE("damaged files never crash or hang the reader", "[decode][documents][fuzz]") {
  const std::string seeds[] = {
      R"({"kind":"List","apiVersion":"v1","items":[{"kind":"Node","apiVersion":"v1","metadata":
          {"name":"a\"\\","labels":{"x":"y"}},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}},
          {"kind":"NodeList","items":[{"metadata":{"name":"b"}}]}]} {"kind":"PodList","items":[]})",
      "kind: List\napiVersion: v1\nx: &x {a: 'it''s', b: \"\\u00e9\"}\nitems:\n- kind: Node\n"
      "  apiVersion: v1\n  metadata:\n    name: a\n    labels: {<<: *x, c: \"1\"}\n  spec:\n"
      "    taints: [{key: k, effect: NoSchedule}, *x]\n  text: |\n    two\n    lines\n---\n"
      "kind: PodList\nitems: []\n",
  };
  constexpr std::string_view pieces = "\"'\\{}[]:,&*!|>#%@`- \n\t\r0nt<\xff";
  std::mt19937 random(11);
  const auto pick = [&](std::size_t n) { return std::size_t(random() % n); };
  std::size_t refused = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string text = seeds[round % 2];
    for (std::size_t changes = 1 + pick(4); changes > 0 && !text.empty(); --changes) {
      const std::size_t at = pick(text.size());
      switch (pick(4)) {
        case 0: text.erase(at, 1 + pick(10)); break;
        case 1: text[at] = pieces[pick(pieces.size())]; break;
        case 2: text.insert(at, text.substr(pick(text.size()), pick(40))); break;
        default: text.resize(at); break;
      }
    }
    if (!read_documents(text).error.empty()) ++refused;
  }
  CHECK(refused > 1000);
}
