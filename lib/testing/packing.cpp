// SPDX-License-Identifier: Apache-2.0
#include "testing/packing.h"

#include <archive.h>
#include <archive_entry.h>
#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zlib.h>

#include <utility>

#include "decode/bytes/compression.h"
#include "testing/require.h"

namespace dsdoctor::testing {
namespace {

void add(archive* writer, const TarEntry& entry) {
  archive_entry* header = archive_entry_new();
  archive_entry_set_pathname(header, entry.path.c_str());
  archive_entry_set_perm(header, 0644);
  archive_entry_set_mtime(header, 0, 0);
  switch (entry.type) {
    case EntryType::File: archive_entry_set_filetype(header, AE_IFREG); break;
    case EntryType::Folder: archive_entry_set_filetype(header, AE_IFDIR); break;
    case EntryType::Device: archive_entry_set_filetype(header, AE_IFCHR); break;
    case EntryType::Pipe: archive_entry_set_filetype(header, AE_IFIFO); break;
    case EntryType::SymbolicLink:
      archive_entry_set_filetype(header, AE_IFLNK);
      archive_entry_set_symlink(header, entry.content.c_str());
      break;
    case EntryType::HardLink:
      archive_entry_set_filetype(header, AE_IFREG);
      archive_entry_set_hardlink(header, entry.content.c_str());
      break;
  }
  const bool is_file = entry.type == EntryType::File;
  archive_entry_set_size(header, is_file ? static_cast<la_int64_t>(entry.content.size()) : 0);
  require(archive_write_header(writer, header) >= ARCHIVE_WARN, "archive_write_header failed");
  if (is_file) archive_write_data(writer, entry.content.data(), entry.content.size());
  archive_entry_free(header);
}

std::string deflated(std::string_view content, int window_bits) {
  z_stream state = {};
  require(deflateInit2(&state, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK,
          "deflateInit2 failed");
  std::string result(deflateBound(&state, content.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  state.avail_in = static_cast<uInt>(content.size());
  state.next_out = reinterpret_cast<Bytef*>(result.data());
  state.avail_out = static_cast<uInt>(result.size());
  const int done = deflate(&state, Z_FINISH);
  result.resize(state.total_out);
  deflateEnd(&state);
  require(done == Z_STREAM_END, "deflate failed");
  return result;
}

std::string little_endian(std::size_t number, std::size_t bytes) {
  std::string result;
  for (std::size_t i = 0; i < bytes; ++i) result += static_cast<char>(number >> (8 * i) & 0xffU);
  return result;
}

constexpr std::string_view zip_entry_magic = "PK\x03\x04";
constexpr std::string_view zip_directory_magic = "PK\x01\x02";

}  // namespace

std::string gzip(std::string_view content) {
  constexpr int gzip_header = 16;
  return deflated(content, MAX_WBITS + gzip_header);
}

std::string xz(std::string_view content) {
  std::string result(lzma_stream_buffer_bound(content.size()), '\0');
  std::size_t size = 0;
  require(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                  reinterpret_cast<const std::uint8_t*>(content.data()),
                                  content.size(), reinterpret_cast<std::uint8_t*>(result.data()),
                                  &size, result.size()) == LZMA_OK,
          "lzma_easy_buffer_encode failed");
  result.resize(size);
  return result;
}

std::string bzip2(std::string_view content) {
  constexpr std::size_t most_overhead = 600;  // and one percent
  std::string result(content.size() + content.size() / 100 + most_overhead, '\0');
  auto size = static_cast<unsigned>(result.size());
  std::string source(content);
  require(BZ2_bzBuffToBuffCompress(result.data(), &size, source.data(),
                                   static_cast<unsigned>(source.size()), 1, 0, 0) == BZ_OK,
          "BZ2_bzBuffToBuffCompress failed");
  result.resize(size);
  return result;
}

std::string lz4(std::string_view content) {
  LZ4F_preferences_t preferences = {};
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  std::string result(LZ4F_compressFrameBound(content.size(), &preferences), '\0');
  const std::size_t size = LZ4F_compressFrame(result.data(), result.size(), content.data(),
                                              content.size(), &preferences);
  require(LZ4F_isError(size) == 0, "LZ4F_compressFrame failed");
  result.resize(size);
  return result;
}

std::string zstd(std::string_view content) {
  decode::ZstdFrame frame;
  require(static_cast<bool>(frame.add(content)), "ZstdFrame::add failed");
  auto packed = frame.finish();
  require(static_cast<bool>(packed), "ZstdFrame::finish failed");
  return *std::move(packed);
}

std::string tar(const std::vector<TarEntry>& entries, const std::string& format) {
  std::size_t room = 1 << 16;
  for (const TarEntry& entry : entries) room += entry.content.size() + 4096;
  std::string result(room, '\0');
  std::size_t used = 0;
  archive* writer = archive_write_new();
  archive_write_set_format_by_name(writer, format.c_str());
  archive_write_set_bytes_in_last_block(writer, 1);
  require(archive_write_open_memory(writer, result.data(), result.size(), &used) == ARCHIVE_OK,
          "archive_write_open_memory failed");
  for (const TarEntry& entry : entries) add(writer, entry);
  require(archive_write_close(writer) == ARCHIVE_OK, "archive_write_close failed");
  archive_write_free(writer);
  result.resize(used);
  return result;
}

std::string zip(const std::vector<TarEntry>& entries, ZipStyle style) {
  const bool stored = style == ZipStyle::Stored || style == ZipStyle::StoredInStream;
  const bool in_stream = style == ZipStyle::DeflatedInStream || style == ZipStyle::StoredInStream;
  std::string result;
  std::string directory;
  for (const TarEntry& entry : entries) {
    const bool folder = entry.type == EntryType::Folder;
    const std::string name = folder ? entry.path + "/" : entry.path;
    const bool as_is = stored || folder;
    const std::string packed = as_is ? entry.content : deflated(entry.content, -MAX_WBITS);
    const auto* bytes = reinterpret_cast<const Bytef*>(entry.content.data());
    const std::string sums =
        little_endian(crc32(0, bytes, static_cast<uInt>(entry.content.size())), 4) +
        little_endian(packed.size(), 4) + little_endian(entry.content.size(), 4);
    const bool sums_after = in_stream && !folder;
    const std::string begin = little_endian(20, 2) + little_endian(sums_after ? 8 : 0, 2) +
                              little_endian(as_is ? 0 : 8, 2) + little_endian(0x21, 4);
    const std::size_t mode = entry.type == EntryType::SymbolicLink ? 0120777
                             : folder                              ? 040755
                                                                   : 0100644;
    directory += std::string(zip_directory_magic) + "\x14\x03" + begin + sums +
                 little_endian(name.size(), 2) + little_endian(0, 8) +
                 little_endian(mode << 16U, 4) + little_endian(result.size(), 4) + name;
    result += std::string(zip_entry_magic) + begin;
    result += sums_after ? std::string(12, '\0') : sums;
    result += little_endian(name.size(), 2) + little_endian(0, 2) + name + packed;
    if (sums_after) result += "PK\x07\x08" + sums;
  }
  return result + directory + "PK\x05\x06" + little_endian(0, 4) +
         little_endian(entries.size(), 2) + little_endian(entries.size(), 2) +
         little_endian(directory.size(), 4) + little_endian(result.size(), 4) + little_endian(0, 2);
}

std::string marked_as_encrypted(std::string zip_archive) {
  constexpr std::size_t flags_of_entry = 6;
  constexpr std::size_t flags_in_directory = 8;
  for (const auto& [magic, flags] : {std::pair(zip_entry_magic, flags_of_entry),
                                     std::pair(zip_directory_magic, flags_in_directory)}) {
    for (std::size_t at = zip_archive.find(magic); at != zip_archive.npos;
         at = zip_archive.find(magic, at + 1)) {
      zip_archive[at + flags] = static_cast<char>(zip_archive[at + flags] | 1);
    }
  }
  return zip_archive;
}

}  // namespace dsdoctor::testing
