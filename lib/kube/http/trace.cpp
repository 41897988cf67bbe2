// SPDX-License-Identifier: Apache-2.0
#include "kube/http/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include "base/printable.h"
#include "base/shell_word.h"

namespace dsdoctor::kube {
namespace {

using std::chrono::microseconds;

// The verbosity from which each part is shown; above the last, bodies are complete.
constexpr int request_line_level = 6;
constexpr int request_headers_level = 7;
constexpr int answer_level = 8;
constexpr int command_level = 9;

/// Returns one line for any value.
std::string on_one_line(std::string_view text) {
  std::string result = base::printable(text);
  std::ranges::replace(result, '\n', ' ');
  return result;
}

std::string header_lines(const char* title, const std::vector<Header>& headers) {
  std::string text = fmt::format("{}:\n", title);
  for (const Header& header : headers) {
    text += fmt::format("    {}: {}\n", on_one_line(header.name), on_one_line(header.value));
  }
  return text;
}

std::string curl_command(const TraceEvent& event) {
  const auto quoted = [](std::string_view text) { return base::single_quoted(on_one_line(text)); };
  std::string text = "curl -v -X" + event.method;
  for (const Header& header : event.request_headers) {
    text += " -H " + quoted(header.name + ": " + header.value);
  }
  return text + " " + quoted(event.url) + "\n";
}

/// The first line: "GET URL 200 in 31 milliseconds, 48213 bytes: <failure>".
std::string first_line(const TraceEvent& event) {
  std::string text =
      fmt::format("{} {} {} in {} milliseconds, {} bytes", event.method, on_one_line(event.url),
                  event.status, event.duration.count(), event.bytes);
  if (event.status == 429) {  // the class of API priority and fairness
    const ResponseHead head{event.status, event.response_headers};
    for (const char* name :
         {"X-Kubernetes-PF-FlowSchema-UID", "X-Kubernetes-PF-PriorityLevel-UID", "Retry-After"}) {
      const std::string* value = head.find(name);
      if (value != nullptr) text += fmt::format(" {}={}", name, on_one_line(*value));
    }
  }
  if (!event.failure.empty()) text += ": " + on_one_line(event.failure);
  return text + "\n";
}

double in_milliseconds(microseconds time) { return static_cast<double>(time.count()) / 1000.0; }

/// libcurl's times are cumulative; this shows the duration of each step.
std::string time_line(const TraceEvent& event) {
  const TraceTimes& t = event.times;
  const auto step = [](microseconds until, microseconds from) {
    return in_milliseconds(std::max(microseconds(0), until - from));
  };
  const microseconds ready = std::max({t.lookup, t.connect, t.tls});
  return fmt::format(
      "HTTP Statistics: DNSLookup {:.1f} ms Dial {:.1f} ms TLSHandshake {:.1f} ms "
      "ServerProcessing {:.1f} ms Duration {} ms\n",
      in_milliseconds(t.lookup), step(t.connect, t.lookup), step(t.tls, t.connect),
      step(t.first_byte, ready), event.duration.count());
}

/// In the format of `hexdump -C`.
std::string hex_dump(std::string_view bytes) {
  constexpr std::size_t width = 16;
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    const std::string_view row = bytes.substr(at, width);
    fmt::format_to(std::back_inserter(text), "{:08x} ", at);
    for (std::size_t i = 0; i < width; ++i) {
      text += i % 8 == 0 ? " " : "";
      text += i < row.size() ? fmt::format("{:02x} ", static_cast<unsigned char>(row[i])) : "   ";
    }
    text += " |";
    for (const char c : row) text += c >= 0x20 && c < 0x7F ? c : '.';
    text += "|\n";
  }
  return text;
}

bool is_text(std::string_view body) {
  // the body may be cut within a character
  for (int missing = 0; missing < 4 && !body.empty(); ++missing, body.remove_suffix(1)) {
    if (base::is_utf8_text(body)) return true;
  }
  return body.empty();
}

std::string body_text(const TraceEvent& event, std::size_t limit) {
  const std::string_view shown = std::string_view(event.body).substr(0, limit);
  std::string text = "Response Body:";
  text += is_text(shown) ? " " + base::printable(shown) : "\n" + hex_dump(shown);
  if (event.bytes > shown.size()) {
    text += fmt::format(" [truncated {} bytes]", event.bytes - shown.size());
  }
  return text.ends_with('\n') ? text : text + "\n";
}

}  // namespace

std::size_t traced_bytes(int verbosity) {
  if (verbosity < answer_level) return 0;
  if (verbosity == answer_level) return 1024;
  if (verbosity == command_level) return 10240;
  return std::numeric_limits<std::size_t>::max();
}

std::string trace_text(const TraceEvent& event, int verbosity) {
  if (verbosity < request_line_level) return {};
  std::string text;
  if (verbosity >= command_level) text += curl_command(event);
  text += first_line(event);
  if (verbosity >= request_headers_level)
    text += header_lines("Request Headers", event.request_headers);
  if (verbosity >= command_level) text += time_line(event);
  if (verbosity >= answer_level && event.status != 0) {
    text += header_lines("Response Headers", event.response_headers);
    text += body_text(event, traced_bytes(verbosity));
  }
  return text;
}

}  // namespace dsdoctor::kube
