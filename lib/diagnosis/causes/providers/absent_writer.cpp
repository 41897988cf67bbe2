// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/providers/absent_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "diagnosis/catalogue/findings/pods.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/providers/provider.h"

namespace dsdoctor::diagnosis {
namespace {

Finding writer_finding(const LabelWait& wait, CaseNames names) {
  std::vector<std::string> nodes;
  for (const model::Node* node : wait.nodes) nodes.push_back(node->meta.name.str());
  names.node = wait.nodes.front()->meta.name;
  const model::Text& value = wait.toleration->value;
  Finding finding = make_finding(
      finding::LabelWriterAbsent{.key = wait.taint->key,
                                 .label = wait.label,
                                 .nodes = nodes,
                                 .taint = wording::taint(*wait.taint),
                                 .value = value.empty() ? std::string("none") : value.str(),
                                 .waiting = wait.waiting.size(),
                                 .writer = full_name(wait.writer->meta),
                                 .writer_name = wait.writer->meta.name,
                                 .writer_ns = wait.writer->meta.ns},
      {taint_evidence(*wait.nodes.front(), *wait.taint),
       {ref_of(*wait.writer), "spec.template.spec.tolerations",
        fmt::format("{}={}", wait.toleration->key.view(), value.view())}},
      names);
  finding.root = full_name(wait.writer->meta);
  finding.nodes = std::move(nodes);
  return finding;
}

}  // namespace

std::vector<Finding> absent_writer_findings(const DaemonSetCase& of) {
  std::vector<Finding> result;
  if (of.providers == nullptr) return result;
  for (const LabelWait& wait : of.providers->label_waits()) {
    const bool waits = std::ranges::find(wait.waiting, &of.ds) != wait.waiting.end();
    if (wait.writer == &of.ds || waits) result.push_back(writer_finding(wait, names_of(of)));
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
