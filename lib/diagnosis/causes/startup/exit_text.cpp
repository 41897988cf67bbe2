#include "diagnosis/causes/startup/exit_text.h"

#include <fmt/format.h>

#include <chrono>

#include "base/text.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::size_t longest_message = 4096;  // of a termination message, at least

std::string_view exit_meaning(std::int64_t code) {
  switch (code) {
    case 0: return "exited without an error, but should keep running";
    case 1: return "application error";
    case 2: return "application error, often its command line";
    case 126: return "the command cannot be executed";
    case 127: return "the command was not found";
    case 134: return "aborted";
    case 137: return "killed by SIGKILL";
    case 139: return "segmentation fault";
    case 143: return "terminated by SIGTERM";
    case 255: return "runtime error, or a program for another architecture";
    default: return {};
  }
}

/// Its program has run: codes by which a shell or a runtime tells that there is none are its own.
bool has_run(const model::TerminatedState& state) {
  const bool long_enough =
      state.started && state.finished && *state.finished - *state.started > std::chrono::seconds(2);
  const bool tells_of_start =
      mentions_any(state.message, {"exec", "not found", "no such file", "permission denied"});
  return !tells_of_start && (long_enough || !state.message.empty());
}

/// A line of a log that is none of an error, whatever it counts: "level=info", "I1121 10:00:00".
bool is_information(std::string_view line) {
  const bool is_klog = line.size() > 1 && line[0] == 'I' && base::is_digit(line[1]);
  return is_klog || line.starts_with("INFO") || line.starts_with("DEBUG") ||
         mentions_any(line, {"level=info", "level=debug", "\"level\":\"info\"",
                             "\"level\":\"debug\"", "[info]", "[debug]"});
}

}  // namespace

std::string code_text(const model::TerminatedState& state) {
  std::string result = std::to_string(state.exit_code);
  const bool is_of_start =
      state.exit_code == 126 || state.exit_code == 127 || state.exit_code == 255;
  const bool telling =
      !state.reason.empty() && state.reason != "Error" && state.reason != "Completed";
  const std::string_view meaning =
      is_of_start && has_run(state) ? std::string_view() : exit_meaning(state.exit_code);
  if (telling) return result + fmt::format(" ({})", excerpt(state.reason));
  if (!meaning.empty()) return result + fmt::format(" ({})", meaning);
  if (state.exit_code > 128 && state.exit_code < 128 + 65) {
    result += fmt::format(" (signal {})", state.exit_code - 128);
  }
  return result;
}

std::string telling_line(std::string_view text) {
  std::string_view last;
  for (std::string_view line : base::split(text.substr(0, longest_message), "\n")) {
    line = base::trimmed(line);
    if (line.empty()) continue;
    if (!last.empty() && base::lower_case(line.substr(0, 5)) == "usage") break;
    const bool is_telling = mentions_any(line, {"panic", "fatal", "error"});
    if (is_telling && !is_information(line)) return excerpt(line);
    last = line;
  }
  return excerpt(last);
}

std::string exit_text(const model::TerminatedState& state) {
  std::string result = "exit code " + code_text(state);
  if (const std::string said = telling_line(state.message); !said.empty()) {
    result += fmt::format("; termination message: \"{}\"", said);
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
