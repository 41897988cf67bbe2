#pragma once

#include "model/labels.h"
#include "redaction/pseudonyms.h"

namespace dsdoctor::redaction {

/// Those that decide something keep their form; of the others the key is left.
void redact_annotations(model::Labels& annotations, Pseudonyms& names);

}  // namespace dsdoctor::redaction
