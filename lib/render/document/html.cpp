// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "render/document/document.h"

namespace dsdoctor::render {
namespace {

// Follows the light or dark theme of the system; printable; wide tables scroll.
constexpr std::string_view style_sheet = R"(
:root{color-scheme:light dark;--ink:#1c2128;--dim:#59636e;--page:#fff;--line:#d1d9e0;--box:#f6f8fa;
--good:#1a7f37;--waiting:#8a5a00;--wrong:#c4222b;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9198a1;--page:#0d1117;--line:#3d444d;
--box:#151b23;--good:#3fb950;--waiting:#d29922;--wrong:#ff7b72;--link:#79c0ff}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);margin:0 auto;
max-width:72rem;padding:1.5rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.25rem;margin:2.2rem 0 .4rem;padding-top:.8rem;
border-top:1px solid var(--line)}h3{font-size:1.05rem;margin:1.2rem 0 .3rem}
h1,h2,h3,p,td,th,li{overflow-wrap:anywhere}p{margin:.4rem 0}.of{color:var(--dim)}
a{color:var(--link)}code,pre{font:13px/1.45 ui-monospace,monospace}
pre{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:.7rem;
white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.6rem 0;min-width:40%}
th,td{border:1px solid var(--line);padding:.35rem .6rem;text-align:left;vertical-align:top}
td{min-width:5rem}th{background:var(--box)}td div+div{margin-top:.25rem}
.good{color:var(--good)}.waiting{color:var(--waiting)}.wrong{color:var(--wrong)}.quiet{color:var(--dim)}
@media print{body{max-width:none;padding:0}h2{break-after:avoid}tr,pre{break-inside:avoid}}
)";

std::string_view class_of(Tone tone) {
  switch (tone) {
    case Tone::Plain: return "";
    case Tone::Good: return "good";
    case Tone::Waiting: return "waiting";
    case Tone::Wrong: return "wrong";
    case Tone::Quiet: return "quiet";
  }
  return "";
}

std::string element(std::string_view tag, Tone tone, std::string_view content) {
  const std::string_view name = class_of(tone);
  return name.empty() ? fmt::format("<{0}>{1}</{0}>", tag, content)
                      : fmt::format("<{0} class=\"{1}\">{2}</{0}>", tag, name, content);
}

std::string line_html(const Line& line) {
  std::string result;
  for (const Span& span : line) {
    const std::string text = html_text(base::printable_line(span.text));
    switch (span.kind) {
      case Span::Kind::Text:
        result += span.tone == Tone::Plain ? text : element("span", span.tone, text);
        break;
      case Span::Kind::Code: result += element("code", span.tone, text); break;
      case Span::Kind::Strong: result += element("strong", span.tone, text); break;
    }
  }
  return result;
}

std::string cell_html(const Cell& cell) {
  if (cell.size() == 1) return line_html(cell.front());
  std::string result;
  for (const Line& line : cell) result += fmt::format("<div>{}</div>", line_html(line));
  return result;
}

/// Writes blocks; second-level headings are link targets.
class Page {
 public:
  void operator()(const Heading& heading) {
    const std::string text = line_html(heading.text);
    if (heading.level == 2) {
      text_ += fmt::format("<h2 id=\"s{}\">{}</h2>\n", ++sections_, text);
    } else {
      text_ += fmt::format("<h{0}>{1}</h{0}>\n", heading.level, text);
    }
  }
  void operator()(const Paragraph& paragraph) {
    text_ += fmt::format("<p>{}</p>\n", line_html(paragraph.text));
  }
  void operator()(const Bullets& bullets) {
    text_ += "<ul>\n";
    for (const Line& item : bullets.items) text_ += fmt::format("<li>{}</li>\n", line_html(item));
    text_ += "</ul>\n";
  }
  void operator()(const Table& table) {
    text_ += "<div class=\"wide\"><table>\n<thead><tr>";
    for (const Line& column : table.columns) {
      text_ += fmt::format("<th scope=\"col\">{}</th>", line_html(column));
    }
    text_ += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
      text_ += "<tr>";
      for (const Cell& cell : row) text_ += fmt::format("<td>{}</td>", cell_html(cell));
      text_ += "</tr>\n";
    }
    text_ += "</tbody></table></div>\n";
  }
  void operator()(const Commands& commands) {
    text_ += fmt::format("<pre><code>{}</code></pre>\n", html_text(base::printable(commands.text)));
  }

  void operator()(const Details& details) {
    text_ += fmt::format("<details><summary>{}</summary>\n", line_html(details.summary));
    for (const PlainBlock& block : details.blocks) {
      std::visit([this](const auto& each) { (*this)(each); }, block);
    }
    text_ += "</details>\n";
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t sections_ = 0;
};

/// Links to the sections, if there are several.
std::string contents(const Document& document) {
  std::string result;
  std::size_t sections = 0;
  for (const Block& block : document.blocks) {
    const auto* heading = std::get_if<Heading>(&block);
    if (heading == nullptr || heading->level != 2) continue;
    result +=
        fmt::format("<li><a href=\"#s{}\">{}</a></li>\n", ++sections, line_html(heading->text));
  }
  return sections < 2 ? "" : fmt::format("<nav><ul>\n{}</ul></nav>\n", result);
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string html(const Document& document) {
  Page page;
  for (const Block& block : document.blocks) std::visit(page, block);
  const std::string title = html_text(base::printable_line(document.title));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // Names from a cluster cannot make a browser load or run anything.
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n"
      "<p class=\"of\">{2}</p>\n</header>\n{3}<main>\n{4}</main>\n</body>\n</html>\n",
      title, style_sheet, line_html(document.subtitle), contents(document), page.take());
}

}  // namespace dsdoctor::render
