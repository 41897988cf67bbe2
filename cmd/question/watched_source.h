#pragma once

#include <memory>

#include "question/progress_line.h"
#include "source/cluster_source.h"

namespace dsdoctor::cmd {

/// A source whose reads show on a line how far they have come.
class WatchedSource final : public source::ClusterSource {
 public:
  /// `inner` updates `line`; between reads the line is free.
  WatchedSource(std::unique_ptr<source::ClusterSource> inner, std::shared_ptr<ProgressLine> line)
      : inner_(std::move(inner)), line_(std::move(line)) {}

  base::Result<source::Snapshot> load(const source::Query& query) override {
    line_->begin();
    auto snapshot = inner_->load(query);
    line_->end();
    return snapshot;
  }

  [[nodiscard]] bool has_more() const override { return inner_->has_more(); }

  void load_details(source::Snapshot& snapshot, const model::DetailQuery& query) override {
    line_->begin();
    inner_->load_details(snapshot, query);
    line_->end();
  }

 private:
  std::unique_ptr<source::ClusterSource> inner_;
  std::shared_ptr<ProgressLine> line_;
};

}  // namespace dsdoctor::cmd
