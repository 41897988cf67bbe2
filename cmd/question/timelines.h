#pragma once

#include "advice/explanation.h"
#include "line/options.h"
#include "question/question.h"

namespace dsdoctor::cmd {

/// Fills in what happened when, where the answer is going to show it: for a program always, for a
/// person with --timeline or -o wide. `selected`: single nodes were asked for; each gets a list.
void add_timelines(advice::Explanation& explanation, const Question& question,
                   const AnswerOptions& options, bool selected);

}  // namespace dsdoctor::cmd
