// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/daemon_set.h"

namespace dsdoctor::diagnosis {

/// Sets the defaults of the API server for fields that the manifest leaves out. A field that is
/// also empty in `stored` (may be null) stays empty: `stored` does not come from an API server
/// then. Source of truth: kubernetes v1.36.2, pkg/apis/core/v1/defaults.go, for the fields of the
/// model.
void set_api_defaults(model::PodTemplate& pod_template, const model::PodTemplate* stored);

/// Replaces quantities by equal ones of `stored`: the API server stores "100m" for "0.1", and a
/// template that differs only in the notation is the same.
void adopt_quantities(model::PodTemplate& pod_template, const model::PodTemplate& stored);

}  // namespace dsdoctor::diagnosis
