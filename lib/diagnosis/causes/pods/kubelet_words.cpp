// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/kubelet_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view rejected = "Pod was rejected: ";

/// The text after the first `words`; empty if they do not occur.
std::string_view behind(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + words.size());
}

/// The content of a quoted Go string up to its closing quote. `text` begins after the opening
/// quote.
std::string unquoted(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size() && text[i] != '"'; ++i) {
    const bool is_escaped = text[i] == '\\' && i + 1 < text.size();
    if (is_escaped) ++i;
    result += is_escaped && (text[i] == 'n' || text[i] == 't') ? ' ' : text[i];
  }
  return result;
}

/// Removes ` "72d80f9db4e1"`: IDs of containers and sandboxes differ from pod to pod.
void drop_quoted_ids(std::string& text) {
  constexpr std::size_t shortest_id = 12;
  for (std::size_t at = 0; (at = text.find(" \"", at)) != text.npos;) {
    const std::size_t begin = at + 2;
    const std::size_t end = std::min(text.find('"', begin), text.size());
    const std::string_view word = std::string_view(text).substr(begin, end - begin);
    if (word.size() >= shortest_id && std::ranges::all_of(word, base::is_hexadecimal)) {
      text.erase(at, end + 1 - at);
    } else {
      at = begin;
    }
  }
}

/// The first clauses or words in at most `limit` bytes, without an unclosed quote.
std::string_view head_of(std::string_view text, std::size_t limit) {
  std::size_t end = text.rfind(' ', limit);
  const auto is_open = [&] { return std::ranges::count(text.substr(0, end), '"') % 2 != 0; };
  while (end != text.npos && end > 0 && is_open()) end = text.rfind(' ', end - 1);
  if (end == text.npos) return {};
  const std::size_t seam = text.rfind(": ", end);
  if (seam != text.npos && 3 * seam >= 2 * limit) end = seam;
  return base::trimmed(text.substr(0, end), " :,;");
}

/// Shortens an error to at most `limit` bytes: the operation that failed and, if there is room, the
/// cause, which follows the last colon.
std::string abridged(std::string_view error, std::size_t limit) {
  constexpr std::string_view gap = " ... ";
  if (error.size() <= limit) return std::string(error);
  const std::size_t colon = error.rfind(": ");
  std::string_view cause;
  if (colon != error.npos) cause = error.substr(colon + 2);
  if (2 * (gap.size() + cause.size()) > limit) cause = {};
  const std::string_view head = head_of(error, limit - gap.size() - cause.size());
  if (head.empty()) return base::without_middle(error, limit);
  return std::string(base::trimmed(fmt::format("{}{}{}", head, gap, cause)));
}

/// "multus, host-device (delete) failed" for an error that names the CNI plugins which call each
/// other, outermost first; empty if it names none. The operation is that of the last one.
std::string plugins_in(std::string_view error) {
  constexpr std::string_view word = "plugin type=\"";
  std::string result;
  std::string_view rest = error;
  for (std::size_t at = 0; (at = rest.find(word)) != rest.npos;) {
    rest.remove_prefix(at + word.size());
    const std::string_view name = rest.substr(0, rest.find('"'));
    result += fmt::format("{}{}", result.empty() ? "" : ", ", name);
  }
  if (result.empty()) return result;
  const std::string_view operation = behind(rest, "failed (");
  const std::size_t end = operation.find(')');
  if (end != operation.npos) result += fmt::format(" ({})", operation.substr(0, end));
  return result + " failed";
}

/// The failed operation with the plugins that it called, and the cause if there is room.
std::string with_plugins(std::string_view error, std::string_view plugins, std::size_t limit) {
  std::string result =
      fmt::format("{}: plugin {}", error.substr(0, error.find(": plugin type=")), plugins);
  const std::size_t last = error.rfind("failed (");
  const std::string_view cause = behind(error.substr(last == error.npos ? 0 : last), "): ");
  if (!cause.empty() && result.size() + 2 + cause.size() <= limit) {
    result += fmt::format(": {}", cause);
  }
  return result;
}

}  // namespace

std::string_view own_words(std::string_view message) {
  if (message.starts_with(rejected)) message.remove_prefix(rejected.size());
  return message;
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view word) {
  text = behind(text, word);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

std::string_view bracketed(std::string_view text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  return text.substr(open + 1, close - open - 1);
}

AdmissionFault admission_fault(std::string_view message) {
  if (mentions_any(message, {"set of pods to preempt", "no set of running pods found"})) {
    return AdmissionFault::Room;
  }
  if (mentions(message, "no space left on device")) return AdmissionFault::DiskSpace;
  if (mentions(message, "failed to write checkpoint file")) return AdmissionFault::Writing;
  if (mentions_any(message, {"not enough cpus available", "cpumanager", "memorymanager"})) {
    return AdmissionFault::CpuPolicy;
  }
  return mentions_any(message, {"device", "plugin"}) ? AdmissionFault::Device
                                                     : AdmissionFault::Other;
}

std::string_view starved_resource(std::string_view message) {
  const std::string_view rest = behind(message, "low on resource: ");
  return rest.substr(0, std::min(rest.find(". "), rest.find(' ')));
}

EvictionShortage eviction_shortage(std::string_view message) {
  const std::string_view resource = starved_resource(message);
  if (mentions(resource, "memory")) return EvictionShortage::Memory;
  if (resource.starts_with("inodes")) return EvictionShortage::Inodes;
  if (mentions(resource, "pid")) return EvictionShortage::ProcessIds;
  if (!resource.empty()) return EvictionShortage::DiskSpace;
  return volume_at_limit(message).empty() ? EvictionShortage::OwnLimit
                                          : EvictionShortage::VolumeLimit;
}

KillFailure kill_failure(std::string_view message) {
  constexpr std::size_t longest_error = 92;  // so that a title can show all of it
  const std::string_view failed = behind(message, "failed to \"");
  const std::string_view operation = failed.substr(0, failed.find('"'));
  const std::string_view error = behind(failed, "Error: \"");
  if (operation.empty() || error.empty())
    return {"", abridged(excerpt(message), longest_error), false};
  std::string words = wording::unwrapped(unquoted(error));
  drop_quoted_ids(words);
  const std::string plugins = plugins_in(words);
  if (!plugins.empty()) words = with_plugins(words, plugins, longest_error);
  return {excerpt(operation), abridged(excerpt(words), longest_error), !plugins.empty()};
}

std::string_view volume_at_limit(std::string_view message) {
  const std::string_view name = behind(message, "Usage of EmptyDir volume \"");
  return name.substr(0, name.find('"'));
}

}  // namespace dsdoctor::diagnosis
