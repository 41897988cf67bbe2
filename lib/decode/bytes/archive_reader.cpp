// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/text.h"
#include "decode/bytes/zip_end.h"

namespace dsdoctor::decode {
namespace {

constexpr std::size_t block_bytes = 512;

bool is_tar(std::string_view opening) {
  return opening.size() >= block_bytes && opening.substr(257, 5) == "ustar";
}

/// An entry, the end of an archive without entries, or the mark of an archive in several files.
bool is_zip(std::string_view opening) {
  return opening.starts_with("PK\x03\x04") || opening.starts_with("PK\x05\x06") ||
         opening.starts_with("PK\x07\x08PK\x03\x04");
}

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

bool climbs(std::string_view path) {
  return std::ranges::any_of(base::split(path, "/"), [](auto part) { return part == ".."; });
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

std::optional<ArchiveFormat> archive_format_of(std::string_view opening) {
  if (is_tar(opening)) return ArchiveFormat::Tar;
  if (is_zip(opening)) return ArchiveFormat::Zip;
  return std::nullopt;
}

struct ArchiveReader::State final : ByteStream {
  State(ArchiveFormat of, ByteStream& stream, std::string archive_name, UnpackBudget& counts)
      : format(of), from(stream), name(std::move(archive_name)), budget(counts) {
    if (is_zip_archive()) {
      archive_read_support_format_zip_streamable(reader.get());
    } else {
      archive_read_support_format_tar(reader.get());
    }
    archive_read_open(reader.get(), this, nullptr, &State::pull, nullptr);
  }

  [[nodiscard]] bool is_zip_archive() const { return format == ArchiveFormat::Zip; }

  /// The next piece of the archive; empty at its end and after an error, which is in `failure`.
  std::string_view fetch() {
    const auto bytes = from.next();
    if (!bytes) {
      failure = bytes.error();
      return {};
    }
    if (bytes->empty()) exhausted = true;
    if (is_zip_archive()) {
      end.add(*bytes);
    } else {
      count_zeros(*bytes);
    }
    return *bytes;
  }

  static la_ssize_t pull(archive* /*reader*/, void* self, const void** piece) {
    auto* const state = static_cast<State*>(self);
    const std::string_view bytes = state->fetch();
    if (state->failure) return -1;
    *piece = bytes.data();
    return static_cast<la_ssize_t>(bytes.size());
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
    if (entry.encrypted && !failure) {
      return {base::ErrorKind::Malformed, name,
              fmt::format("the entry {} is encrypted; unpack the archive with its password, and "
                          "read the folder",
                          path)};
    }
    return broken(fmt::format("the {} archive is {}", is_zip_archive() ? "zip" : "tar",
                              exhausted ? "cut off" : "damaged"));
  }

  /// The error of `archive_read_data_block`.
  [[nodiscard]] base::Error unreadable() const {
    const char* said = archive_error_string(reader.get());
    const std::string_view reason = said == nullptr ? "" : said;
    if (failure || !reason.starts_with("Unsupported ZIP compression method")) return complaint();
    const std::size_t method = reason.find('(');  // "(9: deflate-64-bit)"
    return {base::ErrorKind::Malformed, name,
            fmt::format("the entry {} has an unknown compression {}; unpack the archive, and read "
                        "the folder",
                        path, method == reason.npos ? "" : reason.substr(method))};
  }

  /// Checksums and sizes of a zip archive are reported as warnings.
  [[nodiscard]] bool is_good_block(int result) const {
    return is_zip_archive() ? result == ARCHIVE_OK : is_good(result);
  }

  base::Result<std::string_view> next() override {
    if (entry.encrypted) return complaint();
    std::size_t size = 0;
    const void* piece = nullptr;
    while (size == 0 && !ended) {
      la_int64_t offset = 0;
      const int result = archive_read_data_block(reader.get(), &piece, &size, &offset);
      ended = result == ARCHIVE_EOF;
      if (ended) break;
      if (!is_good_block(result) || failure) return unreadable();
    }
    if (ended) return std::string_view();
    if (is_zip_archive()) {
      if (auto counted = budget.unpacked(size, name); !counted) {
        failure = counted.error();
        return broken("");
      }
    }
    return std::string_view(static_cast<const char*>(piece), size);
  }

  [[nodiscard]] std::string name_of_entry(archive_entry* header) const {
    if (!is_zip_archive()) return name_of(header);
    auto in_header =
        end.name_behind(static_cast<std::uint64_t>(archive_read_header_position(reader.get())));
    if (!in_header || !simdjson::validate_utf8(*in_header)) return name_of(header);
    // as some programs on Windows write it
    if (in_header->find('/') == in_header->npos) std::ranges::replace(*in_header, '\\', '/');
    return *in_header;
  }

  /// Reads the rest of an entry of unknown size: libarchive would decompress it without limit.
  void skip() {
    if (!is_zip_archive() || !entry.readable || size_known || entry.encrypted) return;
    for (;;) {
      const auto piece = next();
      if (!piece || piece->empty()) return;
    }
  }

  /// Errors: a zip archive that lacks its end, or entries that its directory has.
  [[nodiscard]] base::Status check_end() {
    if (!is_zip_archive()) {
      // tar ends an archive with blocks of zeros; without them the rest may be missing
      if (exhausted && trailing_zeros < block_bytes) return complaint();
      return std::monostate{};
    }
    while (!fetch().empty()) {
    }
    if (failure || !end.is_complete()) return complaint();
    if (!end.counts(entries)) {
      return base::Error{
          base::ErrorKind::Malformed, name,
          fmt::format("the zip archive is damaged: {} found, but its directory has another number",
                      base::counted(entries, "entry was", "entries were"))};
    }
    for (const std::string& link : end.links()) {
      if (auto inside = path_inside(link)) links.insert(std::move(*inside));
    }
    return std::monostate{};
  }

  ArchiveFormat format;
  ByteStream& from;
  std::string name;
  UnpackBudget& budget;
  std::unique_ptr<archive, decltype(&archive_read_free)> reader{archive_read_new(),
                                                                &archive_read_free};
  std::optional<base::Error> failure;  // of `from`
  bool exhausted = false;              // `from` has no more
  std::size_t trailing_zeros = 0;      // at the end of the bytes from `from`
  std::size_t entries = 0;
  std::string path;  // current entry
  Entry entry;
  bool size_known = true;
  bool ended = false;  // the current entry
  ZipEnd end;
  std::set<std::string> links;
};

ArchiveReader::ArchiveReader(ArchiveFormat format, ByteStream& from, std::string name,
                             UnpackBudget& budget)
    : state_(std::make_unique<State>(format, from, std::move(name), budget)) {}
ArchiveReader::~ArchiveReader() = default;

base::Result<std::optional<ArchiveReader::Entry>> ArchiveReader::next() {
  State& state = *state_;
  state.skip();
  if (state.failure) return state.complaint();
  archive_entry* header = nullptr;
  const int result = archive_read_next_header(state.reader.get(), &header);
  if (state.failure) return state.complaint();
  if (result == ARCHIVE_EOF) {
    if (auto complete = state.check_end(); !complete) return complete.error();
    return std::optional<Entry>();
  }
  if (!is_good(result)) return state.complaint();
  if (++state.entries > state.budget.limits().entries) {
    return state.broken(fmt::format("the archive has more than {} entries, which is the limit",
                                    state.budget.limits().entries));
  }
  Entry entry;
  const std::string name = state.name_of_entry(header);
  state.path = name;
  const auto path = path_inside(name);
  entry.path = path.value_or(name);
  entry.climbs = climbs(name);
  entry.is_folder = archive_entry_filetype(header) == AE_IFDIR;
  entry.readable = path && !path->empty() && archive_entry_filetype(header) == AE_IFREG &&
                   archive_entry_hardlink(header) == nullptr &&
                   archive_entry_sparse_count(header) == 0;
  entry.encrypted = archive_entry_is_encrypted(header) != 0;
  entry.bytes = static_cast<std::uint64_t>(std::max<la_int64_t>(archive_entry_size(header), 0));
  state.size_known = archive_entry_size_is_set(header) != 0;
  state.ended = false;
  state.entry = entry;
  return std::optional(std::move(entry));
}

ByteStream& ArchiveReader::content() { return *state_; }

bool ArchiveReader::is_link(const std::string& path) const { return state_->links.contains(path); }

}  // namespace dsdoctor::decode
