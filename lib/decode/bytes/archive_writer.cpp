// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/archive_writer.h"

#include <archive.h>
#include <archive_entry.h>

#include <chrono>
#include <memory>

#include "decode/bytes/compression.h"

namespace dsdoctor::decode {
namespace {

struct FreeWriter {
  void operator()(archive* writer) const { archive_write_free(writer); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

la_ssize_t append(archive* /*writer*/, void* to, const void* bytes, std::size_t size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

base::Error failed(archive* writer) {
  const char* why = archive_error_string(writer);
  return {base::ErrorKind::Unreadable, "", why == nullptr ? "the archive cannot be written" : why};
}

}  // namespace

base::Result<std::string> tar_gz(const std::vector<ArchivedFile>& files, base::Time written) {
  std::string tar;
  const std::unique_ptr<archive, FreeWriter> writer(archive_write_new());
  archive_write_set_format_ustar(writer.get());
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  if (archive_write_open(writer.get(), &tar, nullptr, &append, nullptr) != ARCHIVE_OK) {
    return failed(writer.get());
  }
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(written.time_since_epoch()).count();
  for (const ArchivedFile& file : files) {
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), file.path.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_mtime(entry.get(), seconds, 0);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.content.size()));
    const auto size = static_cast<la_ssize_t>(file.content.size());
    if (archive_write_header(writer.get(), entry.get()) < ARCHIVE_WARN ||
        archive_write_data(writer.get(), file.content.data(), file.content.size()) != size) {
      return failed(writer.get());
    }
  }
  if (archive_write_close(writer.get()) != ARCHIVE_OK) return failed(writer.get());
  GzipMember packed;
  if (auto added = packed.add(tar); !added) return added.error();
  return packed.finish();
}

}  // namespace dsdoctor::decode
