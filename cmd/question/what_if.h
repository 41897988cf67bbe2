// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "decode/manifest/manifest_fields.h"
#include "fixes/what_if.h"
#include "line/options.h"
#include "question/context.h"
#include "source/cluster_source.h"

namespace dsdoctor::cmd {

/// The changes, and the faults of the manifests' fields.
struct Changes {
  fixes::WhatIf what_if;
  decode::ManifestFields fields;
};

/// Returns the changes, including those in files; manifests without a namespace get `ns`, or
/// "default" if that is empty. Errors: those of reading the files; Malformed for files without
/// objects of the kind.
[[nodiscard]] base::Result<Changes> read_changes(const WhatIfOptions& options,
                                                 const std::string& ns, Context& ctx);

/// Adds the faults that do not reject the manifest to the snapshot's warnings: all with
/// `--validate=warn`; unknown fields if the cluster is newer than the table of fields, or if the
/// manifest has an old API version. Errors: Malformed, with the other faults.
[[nodiscard]] base::Status check_manifest(const decode::ManifestFields& fields,
                                          FieldValidation validation, source::Snapshot& snapshot);

/// The common namespace; empty if there are several.
[[nodiscard]] std::string common_namespace(const std::vector<model::DaemonSet>& daemon_sets);

}  // namespace dsdoctor::cmd
