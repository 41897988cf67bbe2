// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/zip_end.h"

#include <array>

namespace dsdoctor::decode {
namespace {

constexpr std::size_t most_kept_bytes = std::size_t{4} << 20U;
constexpr std::size_t nowhere = std::string::npos;

// The offsets are those of PKWARE's APPNOTE.TXT, sections 4.3.7, 4.3.12, 4.3.14 and 4.3.16.
constexpr std::string_view entry_magic = "PK\x03\x04";
constexpr std::size_t entry_bytes = 30;
constexpr std::size_t entry_name_bytes = 26;
constexpr std::string_view end_magic = "PK\x05\x06";
constexpr std::size_t end_bytes = 22;
constexpr std::size_t end_entries = 10;
constexpr std::size_t end_directory_bytes = 12;
constexpr std::size_t end_comment_bytes = 20;
constexpr std::string_view zip64_magic = "PK\x06\x06";
constexpr std::size_t zip64_bytes = 56;
constexpr std::size_t zip64_entries = 32;
constexpr std::size_t zip64_directory_bytes = 40;
constexpr std::uint64_t in_zip64 = 0xffff;  // the number of entries if the zip64 record has it
constexpr std::string_view header_magic = "PK\x01\x02";
constexpr std::size_t header_bytes = 46;
constexpr std::size_t header_system = 5;
constexpr std::size_t header_name_bytes = 28;
constexpr std::size_t header_mode = 40;
constexpr std::uint64_t unix_system = 3;

bool is_link(std::uint64_t mode) { return (mode & 0170000U) == 0120000U; }

}  // namespace

void ZipEnd::add(std::string_view piece) {
  kept_ += piece;
  if (kept_.size() <= 2 * most_kept_bytes) return;
  const std::size_t superfluous = kept_.size() - most_kept_bytes;
  kept_.erase(0, superfluous);
  dropped_ += superfluous;
}

std::optional<std::string> ZipEnd::name_behind(std::uint64_t position) const {
  if (position < dropped_ || position - dropped_ > kept_.size()) return std::nullopt;
  const std::size_t at = kept_.find(entry_magic, static_cast<std::size_t>(position - dropped_));
  if (at == nowhere || kept_.size() - at < entry_bytes) return std::nullopt;
  const auto length = static_cast<std::size_t>(number(at + entry_name_bytes, 2));
  if (kept_.size() - at - entry_bytes < length) return std::nullopt;
  return kept_.substr(at + entry_bytes, length);
}

std::uint64_t ZipEnd::number(std::size_t at, std::size_t bytes) const {
  std::uint64_t result = 0;
  for (std::size_t i = bytes; i > 0; --i) {
    result = result << 8U | static_cast<unsigned char>(kept_[at + i - 1]);
  }
  return result;
}

/// Only the archive's comment follows the record.
std::size_t ZipEnd::end_record() const {
  std::size_t at = kept_.rfind(end_magic);
  while (at != nowhere) {
    const std::size_t room = kept_.size() - at;
    if (room >= end_bytes && room - end_bytes >= number(at + end_comment_bytes, 2)) return at;
    at = at == 0 ? nowhere : kept_.rfind(end_magic, at - 1);
  }
  return nowhere;
}

std::size_t ZipEnd::zip64_record(std::size_t end) const {
  if (end < zip64_bytes || number(end + end_entries, 2) != in_zip64) return nowhere;
  return kept_.rfind(zip64_magic, end - zip64_bytes);
}

bool ZipEnd::is_complete() const { return end_record() != nowhere; }

bool ZipEnd::counts(std::uint64_t entries) const {
  const std::size_t end = end_record();
  const std::size_t zip64 = zip64_record(end);
  if (zip64 != nowhere) return number(zip64 + zip64_entries, 8) == entries;
  // Some programs write more entries than the record can count.
  return number(end + end_entries, 2) == (entries & 0xffffU);
}

std::vector<std::string> ZipEnd::links() const {
  std::vector<std::string> result;
  const std::size_t end = end_record();
  if (end == nowhere) return result;
  const std::size_t zip64 = zip64_record(end);
  const std::size_t behind = zip64 == nowhere ? end : zip64;
  const std::uint64_t size = zip64 == nowhere ? number(end + end_directory_bytes, 4)
                                              : number(zip64 + zip64_directory_bytes, 8);
  if (size > behind) return result;
  std::size_t at = behind - static_cast<std::size_t>(size);
  while (at + header_bytes <= behind && std::string_view(kept_).substr(at, 4) == header_magic) {
    std::array<std::size_t, 3> lengths = {};  // name, more fields, comment
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      lengths[i] = static_cast<std::size_t>(number(at + header_name_bytes + 2 * i, 2));
    }
    if (number(at + header_system, 1) == unix_system && is_link(number(at + header_mode, 2))) {
      result.push_back(kept_.substr(at + header_bytes, lengths[0]));
    }
    at += header_bytes + lengths[0] + lengths[1] + lengths[2];
  }
  return result;
}

}  // namespace dsdoctor::decode
