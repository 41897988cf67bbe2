#pragma once

#include "model/daemon_set.h"

namespace dsdoctor::diagnosis {

/// A template as the API server stores it: with the defaults of what the manifest leaves out, and
/// without them where `stored` (may be null), which then came from no API server, has none either.
/// Source of truth: kubernetes v1.36.2, pkg/apis/core/v1/defaults.go, of the fields in the model.
void set_api_defaults(model::PodTemplate& pod_template, const model::PodTemplate* stored);

/// Quantities that are equal to those of `stored` get its spelling: the API server stores "100m"
/// for "0.1", and a template that differs in spelling alone is the same.
void adopt_quantities(model::PodTemplate& pod_template, const model::PodTemplate& stored);

}  // namespace dsdoctor::diagnosis
