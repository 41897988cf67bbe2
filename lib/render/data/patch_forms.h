// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "fixes/effects/template_change.h"
#include "fixes/owners/owner.h"
#include "model/daemon_set.h"

namespace dsdoctor::render {

/// Formats of a document that changes a DaemonSet's template.
enum class PatchForm {
  JsonPatch,  // RFC 6902, guarded: kubectl patch --type=json --patch-file
  Strategic,  // kubectl patch --patch-file
  Manifest,   // for server-side apply: only the fields that change
  Kustomize,  // a part of a kustomization.yaml
  Helm,       // a part of values.yaml, at the usual key
};

/// The purpose of a document: to change an object of the cluster, or a manifest that was not
/// applied yet.
enum class PatchTarget { Cluster, Manifest };

/// The document; it begins with instructions if its format has comments. Errors: Usage if the form
/// cannot express the change, with the forms that can.
[[nodiscard]] base::Result<std::string> patch_document(PatchForm form, const model::DaemonSet& ds,
                                                       const fixes::TemplateChange& change,
                                                       PatchTarget target = PatchTarget::Cluster);

}  // namespace dsdoctor::render
