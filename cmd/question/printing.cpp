#include "question/printing.h"

#include "render/data/yaml.h"
#include "render/document/reports.h"

namespace dsdoctor::cmd {

void print(OutputFormat format, const Forms& forms, Context& ctx) {
  switch (format) {
    case OutputFormat::Table:
    case OutputFormat::Wide: ctx.out << forms.text(); break;
    case OutputFormat::Json: ctx.out << render::json_text(forms.json()); break;
    case OutputFormat::Yaml: ctx.out << render::yaml_text(forms.json()); break;
    case OutputFormat::Name: ctx.out << forms.names(); break;
    case OutputFormat::Markdown: ctx.out << render::markdown(forms.document()); break;
    case OutputFormat::Html: ctx.out << render::html(forms.document()); break;
    case OutputFormat::Junit: ctx.out << forms.junit(); break;
    case OutputFormat::Prometheus: ctx.out << forms.prometheus(); break;
  }
}

render::Document with_preamble(render::Document document, const Question& question,
                               const render::Style& style) {
  if (question.changed) render::prepend(document, *question.changed, style);
  return document;
}

}  // namespace dsdoctor::cmd
