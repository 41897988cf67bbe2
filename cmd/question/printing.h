#pragma once

#include <functional>
#include <string>

#include "line/options.h"
#include "question/context.h"
#include "question/question.h"
#include "render/data/json.h"
#include "render/document/document.h"

namespace dsdoctor::cmd {

/// The forms of one answer; each is made only where it is asked for. What an answer does not have
/// is empty, and refused while the command line is read.
struct Forms {
  std::function<std::string()> text;
  std::function<render::Json()> json;
  std::function<std::string()> names;
  std::function<render::Document()> document;  // Markdown and HTML
  std::function<std::string()> junit = {};
  std::function<std::string()> prometheus = {};
};

void print(OutputFormat format, const Forms& forms, Context& ctx);

/// `document` with what was taken as different before it.
[[nodiscard]] render::Document with_preamble(render::Document document, const Question& question,
                                             const render::Style& style);

}  // namespace dsdoctor::cmd
