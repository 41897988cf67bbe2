// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <string>

#include "base/handle.h"

namespace dsdoctor::testing {

using Key = base::Handle<EVP_PKEY, EVP_PKEY_free>;
using Certificate = base::Handle<X509, X509_free>;
using Bio = base::Handle<BIO, BIO_free_all>;

/// Reads `pem`, which must outlive it.
inline Bio reading(const std::string& pem) {
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

}  // namespace dsdoctor::testing
