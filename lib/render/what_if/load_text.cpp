// SPDX-License-Identifier: Apache-2.0
#include "render/what_if/load_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/printable.h"
#include "base/text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

std::string amounts_text(const scheduling::Amounts& amounts) {
  std::string result;
  for (const auto& [name, amount] : amounts) {
    if (amount.is_zero()) continue;
    result += fmt::format("{}{} {}", result.empty() ? "" : ", ", name, to_string(amount));
  }
  return result.empty() ? "nothing" : result;
}

}  // namespace

std::string percent(const scheduling::Quantity& part, const scheduling::Quantity& whole) {
  if (whole.nanos() <= 0) return {};
  return fmt::format(" ({} %)", static_cast<std::int64_t>(part.nanos() * 100 / whole.nanos()));
}

std::string node_load_sentence(const diagnosis::NodeLoad& load) {
  if (load.shares.empty()) {
    return load.of_all ? "no DaemonSet requests any of it"
                       : "none of the selected DaemonSets requests any of it";
  }
  std::string line = fmt::format(
      "{} request", counted(load.shares.size(), load.of_all ? "DaemonSet" : "selected DaemonSet"));
  if (load.shares.size() == 1) line += "s";
  char separator = ' ';
  bool fits = true;
  for (const auto& [name, amount] : load.requests) {
    if (amount.is_zero()) continue;
    const auto offered = load.allocatable.find(name);
    fits = fits && (offered == load.allocatable.end() || amount <= offered->second);
    line += fmt::format("{}{} {}", separator == ' ' ? " " : ", ", name, to_string(amount));
    if (offered != load.allocatable.end()) {
      line += fmt::format(" of {}{}", to_string(offered->second), percent(amount, offered->second));
    }
    separator = ',';
  }
  line += fmt::format("{}{}", separator == ' ' ? " " : ", ", counted(load.pods, "pod"));
  if (const auto pods = load.allocatable.find("pods"); pods != load.allocatable.end()) {
    line += fmt::format(" of {}", to_string(pods->second));
    fits = fits && scheduling::Quantity::parse(std::to_string(load.pods)) <= pods->second;
  }
  if (!fits) line += "; they do not all fit";
  return line;
}

std::vector<std::string> node_load_sentences(const diagnosis::NodeLoad& load, const Style& style) {
  std::vector<std::string> result = {node_load_sentence(load)};
  if (!style.lists_every_node()) return result;
  for (const diagnosis::DaemonShare& share : load.shares) {
    result.push_back(base::printable_line(
        fmt::format("{}/{}: {}{}", share.ns.view(), share.name.view(), amounts_text(share.requests),
                    share.present ? "" : " (no pod yet)")));
  }
  return result;
}

std::string node_load_lines(const diagnosis::NodeLoad& load, std::size_t indent,
                            const Style& style) {
  std::string result;
  std::size_t further = 0;
  for (const std::string& sentence : node_load_sentences(load, style)) {
    result += wrapped(style, indent + further, sentence);
    further = 2;
  }
  return result;
}

}  // namespace dsdoctor::render
