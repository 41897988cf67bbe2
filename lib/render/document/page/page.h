// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnosis/reporter.h"
#include "fixes/explanation.h"
#include "render/document/document.h"
#include "render/document/page/fill.h"
#include "render/words/envelope.h"
#include "render/words/style.h"

/// Self-contained pages in HTML, which can be read without script: no network, a strict content
/// security policy.
namespace dsdoctor::render {

/// The program and the question, for the end of a page.
struct AboutPage {
  std::string program;      // "kubectl-dsdoctor v1.2.0"
  std::string again;        // the command that makes the page again
  bool redacted = false;    // names were replaced
  bool unanswered = false;  // the exit code is that of an incomplete answer
};

/// The page about the DaemonSets of an explanation, which was made by `reporter`.
[[nodiscard]] std::string report_page(const fixes::Explanation& explanation,
                                      const diagnosis::Reporter& reporter, const Envelope& envelope,
                                      const Presentation& style, const AboutPage& about);
/// Its data; see report.mustache.
[[nodiscard]] page::Json report_data(const fixes::Explanation& explanation,
                                     const diagnosis::Reporter& reporter, const Envelope& envelope,
                                     const Presentation& style, const AboutPage& about);

/// Any other answer.
[[nodiscard]] std::string document_page(const Document& document, const AboutPage& about);

}  // namespace dsdoctor::render
