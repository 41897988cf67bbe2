// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/exit_text.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "base/text.h"
#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::size_t longest_message = 4096;  // the kubelet's limit in bytes

std::optional<Message> exit_meaning(std::int64_t code) {
  switch (code) {
    case 0: return phrase::ExitWithoutError{};
    case 1: return phrase::ExitApplicationError{};
    case 2: return phrase::ExitCommandLine{};
    case 126: return phrase::ExitNotExecutable{};
    case 127: return phrase::ExitNoCommand{};
    case 134: return phrase::ExitAborted{};
    case 137: return phrase::ExitKilled{};
    case 139: return phrase::ExitSegmentationFault{};
    case 143: return phrase::ExitTerminated{};
    case 255: return phrase::ExitRuntimeError{};
    default: return std::nullopt;
  }
}

/// Whether the program has run; then 126, 127 and 255 are its own exit codes, not the runtime's.
bool has_run(const model::TerminatedState& state) {
  const bool long_enough =
      state.started && state.finished && *state.finished - *state.started > std::chrono::seconds(2);
  const bool tells_of_start =
      mentions_any(state.message, {"exec", "not found", "no such file", "permission denied"});
  return !tells_of_start && (long_enough || !state.message.empty());
}

/// A log line that is not an error, even if it mentions errors: "level=info", "I1121 10:00:00".
bool is_information(std::string_view line) {
  const bool is_klog = line.size() > 1 && line[0] == 'I' && base::is_digit(line[1]);
  return is_klog || line.starts_with("INFO") || line.starts_with("DEBUG") ||
         mentions_any(line, {"level=info", "level=debug", "\"level\":\"info\"",
                             "\"level\":\"debug\"", "[info]", "[debug]"});
}

}  // namespace

Message exit_code(const model::TerminatedState& state) {
  const std::int64_t code = state.exit_code;
  const bool is_of_start = code == 126 || code == 127 || code == 255;
  const bool is_telling =
      !state.reason.empty() && state.reason != "Error" && state.reason != "Completed";
  const bool has_meaning = !is_telling && !(is_of_start && has_run(state));
  const auto meaning = has_meaning ? exit_meaning(code) : std::nullopt;
  const bool by_signal = !is_telling && !meaning && code > 128 && code < 128 + 65;
  return phrase::ExitCode{.code = code,
                          .meaning = meaning,
                          .reason = is_telling ? excerpt(state.reason) : std::string(),
                          .signal = by_signal ? std::optional(code - 128) : std::nullopt};
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

Message exit_told(const model::TerminatedState& state) {
  return phrase::ExitTold{.code = exit_code(state), .said = telling_line(state.message)};
}

Evidence end_evidence(const model::Pod& pod, const model::ContainerStatus& status,
                      const model::TerminatedState& end, std::string_view field,
                      std::string_view value) {
  const bool is_current = status.terminated && &*status.terminated == &end;
  const std::string path =
      fmt::format("{}.{}", is_current ? "state.terminated" : "lastState.terminated", field);
  return status_evidence(pod, status, path, value);
}

Evidence end_evidence(const model::Pod& pod, const model::ContainerStatus& status,
                      const model::TerminatedState& end) {
  return end_evidence(pod, status, end, "exitCode", std::to_string(end.exit_code));
}

}  // namespace dsdoctor::diagnosis
