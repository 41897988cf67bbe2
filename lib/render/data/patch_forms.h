#pragma once

#include <string>

#include "advice/owner.h"
#include "advice/template_change.h"
#include "base/result.h"
#include "model/daemon_set.h"

namespace dsdoctor::render {

/// Documents that carry one change of a DaemonSet's template.
enum class PatchForm {
  JsonPatch,  // RFC 6902, guarded: kubectl patch --type=json --patch-file
  Strategic,  // kubectl patch --patch-file
  Manifest,   // for server-side apply: only the fields that change
  Kustomize,  // a piece of a kustomization.yaml
  Helm,       // a piece of values.yaml, at the usual place
};

/// What a document is for: an object of the cluster, or a manifest that was not applied yet.
enum class PatchTarget { Cluster, Manifest };

/// The document, and before it as comments how to use it where its format has comments.
/// Errors: Usage for a form that cannot carry the change, with those that can.
[[nodiscard]] base::Result<std::string> patch_document(PatchForm form, const model::DaemonSet& ds,
                                                       const advice::TemplateChange& change,
                                                       PatchTarget target = PatchTarget::Cluster);

}  // namespace dsdoctor::render
