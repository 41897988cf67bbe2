#include "question/printing.h"

#include <sstream>
#include <utility>

#include "render/data/yaml.h"
#include "render/document/reports.h"
#include "render/words/what_if_text.h"

namespace dsdoctor::cmd {
namespace {

std::string marked(const std::string& text, std::string_view mark) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) result += mark;
    result += line + "\n";
  }
  return result;
}

}  // namespace

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

void print(const Question& question, const AnswerOptions& options, Forms forms, Context& ctx,
           std::string_view mark) {
  if (question.changed) {
    const render::Presentation style = style_for(options, ctx);
    const advice::Changed& changed = *question.changed;
    forms.text = [text = std::move(forms.text), &changed, style, mark] {
      const std::string answer = text();
      return answer.empty() ? answer
                            : marked(render::what_if_text(changed, style) + "\n", mark) + answer;
    };
    forms.document = [document = std::move(forms.document), &changed, style] {
      render::Document answer = document();
      render::prepend(answer, changed, style);
      return answer;
    };
  }
  print(options.format, forms, ctx);
}

}  // namespace dsdoctor::cmd
