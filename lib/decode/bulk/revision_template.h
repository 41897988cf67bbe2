// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "decode/bulk/object_decoder.h"
#include "model/daemon_set.h"

namespace dsdoctor::decode {

/// Reads data.spec.template of a ControllerRevision. A template that cannot be read leaves `into`
/// unchanged: the revision is not lost. REQUIRES: as ObjectDecoder::decode() for `json`.
void read_template(std::string_view json, ObjectDecoder& decoder, model::PodTemplate& into);

}  // namespace dsdoctor::decode
