// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/log_section.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsdoctor::decode {
namespace {

constexpr std::string_view start_of_log = "==== START logs for container ";
constexpr std::string_view end_of_log = "==== END logs for container ";
constexpr std::size_t longest_line = 1024;  // no line before or after a log is longer

}  // namespace

bool LogSection::opens(std::string_view text) {
  const std::size_t seen = std::min(text.size(), start_of_log.size());
  return seen > 0 && text.substr(0, seen) == start_of_log.substr(0, seen);
}

std::string_view LogSection::skip(std::string_view chunk) {
  while (!chunk.empty() && !over_) {
    const std::size_t newline = chunk.find('\n');
    const std::string_view line = chunk.substr(0, newline);
    if (held_.size() <= longest_line) held_ += line.substr(0, longest_line + 1);
    if (newline == chunk.npos) return {};
    chunk.remove_prefix(newline + 1);
    if (held_.ends_with('\r')) held_.pop_back();
    if (!end_.empty()) {
      over_ = held_ == end_;
    } else if (held_.starts_with(start_of_log)) {
      end_ = fmt::format("{}{}", end_of_log, held_.substr(start_of_log.size()));
    }
    held_.clear();
  }
  return chunk;
}

base::Error LogSection::cut_off(const std::string& file) const {
  return {base::ErrorKind::Malformed, file,
          end_.empty() ? "expected an object or a List"
                       : fmt::format("a log does not end; is the file cut off? expected the line "
                                     "\"{}\"",
                                     end_)};
}

}  // namespace dsdoctor::decode
