// SPDX-License-Identifier: Apache-2.0
#include "render/document/document.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::render;
using Catch::Matchers::Contains;

namespace {

Document one(Block block) { return {"T", {}, {std::move(block)}}; }

/// The Markdown after the title.
std::string body(const Document& document) {
  return markdown(document).substr(std::string("# T\n\n").size());
}

}  // namespace

TEST_CASE("a document is rendered as Markdown", "[render][document]") {
  const Document document{
      "DaemonSet a/b",
      plain("files x.json"),
      {Heading{2, plain("Nodes")}, Paragraph{strong("error:") + plain(" it *fails*")},
       Bullets{{plain("one"), code("two") + plain(" and three")}},
       Table{{plain("verdict"), plain("why")},
             {{{strong("missing", Tone::Wrong)}, {plain("first"), plain("second")}}, {{}, {}}}},
       Commands{"kubectl get nodes", "sh"}}};
  CHECK(markdown(document) ==
        "# DaemonSet a/b\n\nfiles x.json\n\n## Nodes\n\n**error:** it \\*fails\\*\n\n"
        "- one\n- `two` and three\n\n| verdict | why |\n| --- | --- |\n"
        "| **missing** | first<br>second |\n|  |  |\n\n```sh\nkubectl get nodes\n```\n");
}

TEST_CASE("Markdown shows every text literally", "[render][document]") {
  CHECK(body(one(Paragraph{plain("<b> & [x](y) | a_b $1 ~~z~~ `c` \\")})) ==
        "&lt;b&gt; &amp; \\[x\\](y) \\| a\\_b \\$1 \\~\\~z\\~\\~ \\`c\\` \\\\\n");
  // A backslash would become a part of a bare URL.
  CHECK(body(one(Paragraph{plain("https://e.example/<script src=x>")})) ==
        "https://e.example/&lt;script src=x&gt;\n");
  CHECK(body(one(Paragraph{plain("# no heading")})) == "\\# no heading\n");
  CHECK(body(one(Paragraph{plain("- no item")})) == "\\- no item\n");
  CHECK(body(one(Bullets{{plain("1. no number"), plain("12) nor this"), plain("3 of 4")}})) ==
        "- 1\\. no number\n- 12\\) nor this\n- 3 of 4\n");
  // Nothing is escaped between backticks, but a pipe would end a cell.
  CHECK(body(one(Paragraph{code("a`b|c")})) == "``a`b|c``\n");
  CHECK(body(one(Paragraph{code("`")})) == "`` ` ``\n");
  CHECK(body(one(Table{{plain("x")}, {{{code("a|b")}}}})) == "| x |\n| --- |\n| `a\\|b` |\n");
  CHECK(body(one(Commands{"echo '```'", "sh"})) == "````sh\necho '```'\n````\n");
  // A line stays on one line, and control characters do not reach a terminal.
  CHECK(body(one(Paragraph{plain("a\nb\x1b[31m")})) == "a\\\\nb^\\[\\[31m\n");
}

TEST_CASE("Markdown stays within its limit and notes the omitted rows", "[render][document]") {
  Table table{{plain("name")}, {}};
  for (int i = 0; i < 1000; ++i) table.rows.push_back({{plain("some-name-of-a-row")}});
  const Document document{"T", {}, {table, Paragraph{plain("the end")}}};
  CHECK_THAT(markdown(document), !Contains("left out") && Contains("the end"));
  const std::string some = markdown(document, 5'000);
  CHECK(some.size() <= 5'000);
  CHECK_THAT(some, Contains("872 more: -o html lists them.") && Contains("the end"));
  const std::string least = markdown(document, 70);
  CHECK(least.size() <= 70);
  CHECK_THAT(least, Contains("The rest is left out"));
}

TEST_CASE("code blocks in Markdown contain no escape sequences", "[render][document]") {
  const std::string text = markdown({"T", {}, {Commands{"kubectl \x1b[31m\u202e\u009b x", "sh"}}});
  CHECK_THAT(text, Contains("kubectl ^[[31mU+202EU+009B x"));
}

TEST_CASE("details that do not fit are left out and counted", "[render][document]") {
  render::Document document{"T", {}, {}};
  document.blocks.emplace_back(render::Paragraph{render::plain("first")});
  for (int i = 0; i < 9; ++i) {
    std::vector<render::Block> blocks;
    blocks.emplace_back(render::Paragraph{render::plain(std::string(200, 'x'))});
    document.blocks.emplace_back(
        render::folded(render::strong("<b>") + render::plain(std::to_string(i)), blocks));
  }
  document.blocks.emplace_back(render::Paragraph{render::plain("last")});
  const std::string whole = render::markdown(document);
  CHECK(whole.find("<details><summary>&#60;b&#62;0</summary>\n\nxxx") != std::string::npos);
  CHECK(whole.find("left out") == std::string::npos);
  const std::string limited = render::markdown(document, 1'000);
  CAPTURE(limited);
  CHECK(limited.size() <= 1'000);
  CHECK(limited.find("&#62;0</summary>") != std::string::npos);
  CHECK(limited.find("&#62;8</summary>") == std::string::npos);
  CHECK(limited.find("\nlast\n") != std::string::npos);
  CHECK(limited.find("folded parts are left out: -o html has all of them.") != std::string::npos);
}
