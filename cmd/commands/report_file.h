// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "fixes/explanation.h"
#include "question/question.h"
#include "render/data/json.h"

namespace dsdoctor::cmd {

/// The document of `version -o json`.
[[nodiscard]] render::Json version_json();

/// A doubtful answer, for an issue.
struct ReportFile {
  std::string archive;      // tar.gz: a redacted snapshot, the answer about it, versions
  bool is_faithful = true;  // the redacted snapshot has the same problems as `explanation`
};

/// The report on the data of `question`. Its answer is computed from the redacted snapshot, so no
/// name of the original is in it. `explanation`: the answer about the original.
/// Errors: Unreadable, if the archive cannot be made.
[[nodiscard]] base::Result<ReportFile> report_file(const Question& question,
                                                   const fixes::Explanation& explanation,
                                                   const diagnosis::Attention& attention);

}  // namespace dsdoctor::cmd
