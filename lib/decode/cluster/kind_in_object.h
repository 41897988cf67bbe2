// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "decode/cluster/origin.h"
#include "decode/objects/kind.h"
#include "decode/objects/object_reader.h"
#include "model/daemon_set.h"

namespace dsdoctor::decode {

/// The kind by apiVersion and kind of the object, in any place of it; null for kinds that no answer
/// depends on. `json` must be followed by `json_padding` readable bytes. Errors: Malformed, if the
/// JSON is not valid or kind is missing.
[[nodiscard]] base::Result<std::optional<Kind>> kind_in(std::string_view json, const Origin& origin,
                                                        ObjectDecoder& decoder);

/// The names of another project's kind, interned; absent for Kubernetes' own kinds and objects
/// without a kind.
[[nodiscard]] std::optional<model::OtherKind> other_kind_in(std::string_view json,
                                                            ObjectDecoder& decoder);

}  // namespace dsdoctor::decode
