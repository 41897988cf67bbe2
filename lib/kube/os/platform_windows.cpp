// SPDX-License-Identifier: Apache-2.0
#include <windows.h>
// windows.h first, and OpenSSL last: it undefines conflicting names
#include <wincrypt.h>
// wincrypt.h first
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <memory>

#include "base/handle.h"
#include "kube/os/files.h"
#include "kube/os/platform.h"
#include "kube/os/wide_windows.h"

namespace dsdoctor::kube {
namespace {

DWORD attributes_of(const std::string& path) { return ::GetFileAttributesW(wide(path).c_str()); }
bool is_writable_folder(const std::string& path) {
  const DWORD attributes = attributes_of(path);
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 &&
         (attributes & FILE_ATTRIBUTE_READONLY) == 0;
}

/// Reports whether a certificate of the store may verify servers: it has no list of purposes, or
/// one that includes server authentication.
bool is_for_servers(PCCERT_CONTEXT certificate) {
  DWORD size = 0;
  if (::CertGetEnhancedKeyUsage(certificate, 0, nullptr, &size) == 0) return true;
  std::vector<CERT_ENHKEY_USAGE> buffer(size / sizeof(CERT_ENHKEY_USAGE) + 1);
  if (::CertGetEnhancedKeyUsage(certificate, 0, buffer.data(), &size) == 0) return true;
  const CERT_ENHKEY_USAGE& usage = buffer.front();
  if (usage.cUsageIdentifier == 0) return ::GetLastError() == static_cast<DWORD>(CRYPT_E_NOT_FOUND);
  for (DWORD i = 0; i < usage.cUsageIdentifier; ++i) {
    if (std::string_view(usage.rgpszUsageIdentifier[i]) == szOID_PKIX_KP_SERVER_AUTH) return true;
  }
  return false;
}

void append_pem(std::string& pem, PCCERT_CONTEXT certificate) {
  const unsigned char* bytes = certificate->pbCertEncoded;
  const base::Handle<X509, X509_free> parsed(
      d2i_X509(nullptr, &bytes, static_cast<long>(certificate->cbCertEncoded)));
  const base::Handle<BIO, BIO_free_all> out(BIO_new(BIO_s_mem()));
  if (!parsed || !out || PEM_write_bio_X509(out.get(), parsed.get()) != 1) return;
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  pem.append(text, static_cast<std::size_t>(size));
}

}  // namespace

std::string platform() {
#if defined(__aarch64__)
  return "windows/arm64";
#else
  return "windows/amd64";
#endif
}

char list_separator() { return ';'; }

std::string home_folder(const Environment& environment) {
  const std::string home = environment.get("HOME");
  const std::string profile = environment.get("USERPROFILE");
  std::string drive = environment.get("HOMEDRIVE");
  const std::string below = environment.get("HOMEPATH");
  drive = drive.empty() || below.empty() ? "" : drive + below;
  for (const std::string& folder : {home, drive, profile}) {
    if (!folder.empty() && exists(folder + "\\.kube\\config")) return folder;
  }
  const std::array folders{home, profile, drive};
  for (const std::string& folder : folders) {
    if (!folder.empty() && is_writable_folder(folder)) return folder;
  }
  for (const std::string& folder : folders) {
    if (!folder.empty() && exists(folder)) return folder;
  }
  for (const std::string& folder : folders) {
    if (!folder.empty()) return folder;
  }
  return {};
}

RootPlaces root_places() {
  RootPlaces places;
  const HCERTSTORE store = ::CertOpenSystemStoreW(0, L"ROOT");
  if (store == nullptr) return places;
  PCCERT_CONTEXT certificate = nullptr;
  while ((certificate = ::CertEnumCertificatesInStore(store, certificate)) != nullptr) {
    if (is_for_servers(certificate)) append_pem(places.store, certificate);
  }
  ::CertCloseStore(store, 0);
  return places;
}

}  // namespace dsdoctor::kube
