// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/tar_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace dsdoctor::decode {
namespace {

constexpr std::size_t block_bytes = 512;

/// The path as in `Entry::path`; null if it leads out of the archive.
std::optional<std::string> path_inside(std::string_view path) {
  if (path.starts_with('/')) return std::nullopt;
  std::string result;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part == "..") return std::nullopt;
    if (part.empty() || part == ".") continue;
    if (!result.empty()) result += '/';
    result += part;
  }
  return result;
}

/// The name in the archive if it is UTF-8, as on nearly all systems. libarchive converts names that
/// are marked as UTF-8 (pax) to the locale if it can, and on Windows to the code page, which may
/// lose a part of them.
std::string name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  if (name != nullptr && simdjson::validate_utf8(std::string_view(name))) return name;
  if (const char* said = archive_entry_pathname_utf8(entry)) return said;
  if (const wchar_t* wide = archive_entry_pathname_w(entry)) {
    const std::u8string said = std::filesystem::path(wide).u8string();
    return {said.begin(), said.end()};
  }
  return name != nullptr ? name : "";
}

/// Not ARCHIVE_RETRY, which means that the next header may be readable: this one is damaged.
bool is_good(int result) { return result == ARCHIVE_OK || result == ARCHIVE_WARN; }

}  // namespace

bool is_tar(std::string_view opening) {
  return opening.size() >= block_bytes && opening.substr(257, 5) == "ustar";
}

struct TarReader::State final : ByteStream {
  State(ByteStream& stream, std::string archive_name, UnpackBudget& counts)
      : from(stream), name(std::move(archive_name)), budget(counts) {
    archive_read_support_format_tar(reader.get());
    archive_read_open(reader.get(), this, nullptr, &State::pull, nullptr);
  }

  static la_ssize_t pull(archive* /*reader*/, void* self, const void** piece) {
    auto* const state = static_cast<State*>(self);
    const auto bytes = state->from.next();
    if (!bytes) {
      state->failure = bytes.error();
      return -1;
    }
    if (bytes->empty()) state->exhausted = true;
    state->count_zeros(*bytes);
    *piece = bytes->data();
    return static_cast<la_ssize_t>(bytes->size());
  }

  void count_zeros(std::string_view bytes) {
    const std::size_t last = bytes.find_last_not_of('\0');
    if (last == std::string_view::npos) {
      trailing_zeros += bytes.size();
    } else {
      trailing_zeros = bytes.size() - last - 1;
    }
  }

  [[nodiscard]] base::Error broken(std::string what) const {
    base::Error error{base::ErrorKind::Malformed, name, std::move(what)};
    if (failure) error = *failure;
    if (!path.empty()) error.what += fmt::format(", in or after the entry {}", path);
    return error;
  }

  [[nodiscard]] base::Error complaint() const {
    return broken(exhausted ? "the tar archive is cut off" : "the tar archive is damaged");
  }

  base::Result<std::string_view> next() override {
    const void* piece = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int result = archive_read_data_block(reader.get(), &piece, &size, &offset);
    if (result == ARCHIVE_EOF) return std::string_view();
    if (!is_good(result) || failure) return complaint();
    return std::string_view(static_cast<const char*>(piece), size);
  }

  ByteStream& from;
  std::string name;
  UnpackBudget& budget;
  std::unique_ptr<archive, decltype(&archive_read_free)> reader{archive_read_new(),
                                                                &archive_read_free};
  std::optional<base::Error> failure;  // of `from`
  bool exhausted = false;              // `from` has no more
  std::size_t trailing_zeros = 0;      // at the end of the bytes from `from`
  std::size_t entries = 0;
  std::string path;  // of the current entry
};

TarReader::TarReader(ByteStream& from, std::string name, UnpackBudget& budget)
    : state_(std::make_unique<State>(from, std::move(name), budget)) {}
TarReader::~TarReader() = default;

base::Result<std::optional<TarReader::Entry>> TarReader::next() {
  State& state = *state_;
  archive_entry* header = nullptr;
  const int result = archive_read_next_header(state.reader.get(), &header);
  if (state.failure) return state.complaint();
  if (result == ARCHIVE_EOF) {
    // tar ends an archive with blocks of zeros; without them the rest may be missing
    if (state.exhausted && state.trailing_zeros < block_bytes) return state.complaint();
    return std::optional<Entry>();
  }
  if (!is_good(result)) return state.complaint();
  if (++state.entries > state.budget.limits().entries) {
    return state.broken(fmt::format("the archive has more than {} entries, which is the limit",
                                    state.budget.limits().entries));
  }
  Entry entry;
  const std::string name = name_of(header);
  state.path = name;
  const auto path = path_inside(name);
  entry.path = path.value_or(name);
  entry.is_folder = archive_entry_filetype(header) == AE_IFDIR;
  entry.readable = path && !path->empty() && archive_entry_filetype(header) == AE_IFREG &&
                   archive_entry_hardlink(header) == nullptr &&
                   archive_entry_sparse_count(header) == 0;
  entry.bytes = static_cast<std::uint64_t>(std::max<la_int64_t>(archive_entry_size(header), 0));
  return std::optional(std::move(entry));
}

ByteStream& TarReader::content() { return *state_; }

}  // namespace dsdoctor::decode
