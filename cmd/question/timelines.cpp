#include "question/timelines.h"

#include "diagnosis/evidence/facts.h"
#include "diagnosis/views/timeline.h"

namespace dsdoctor::cmd {
namespace {

bool shows_timelines(const AnswerOptions& options) {
  switch (options.format) {
    case OutputFormat::Table:
    case OutputFormat::Markdown:
    case OutputFormat::Html: return options.timeline;
    case OutputFormat::Wide:
    case OutputFormat::Json:
    case OutputFormat::Yaml: return true;
    case OutputFormat::Name:
    case OutputFormat::Junit:
    case OutputFormat::Prometheus: return false;
  }
  return false;
}

}  // namespace

void add_timelines(advice::Explanation& explanation, const Question& question,
                   const AnswerOptions& options, bool selected) {
  if (!shows_timelines(options) || question.changed) return;  // what would be has no past
  const diagnosis::Facts facts(question.snapshot.cluster, question.report.now);
  // `explain` answers in the order of the question.
  for (std::size_t i = 0; i < explanation.daemon_sets.size(); ++i) {
    diagnosis::add_timelines(explanation.daemon_sets[i].report, *question.daemon_sets[i], facts,
                             selected);
  }
}

}  // namespace dsdoctor::cmd
