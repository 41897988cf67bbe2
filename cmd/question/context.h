#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/os/environment.h"
#include "line/options.h"
#include "model/cluster.h"
#include "render/words/style.h"
#include "source/cluster_source.h"

namespace dsdoctor::cmd {

/// 0 answered, nothing wrong; 1 answered, something is wrong; 2 no answer, or not a whole one.
enum class ExitCode { Clean = 0, Findings = 1, Failed = 2 };

/// What the process has: everything that a command may touch besides its options. Tests make
/// their own.
struct Context {
  std::ostream& out;
  std::ostream& err;
  std::istream& in;
  kube::Environment environment;
  std::string program = "kubectl dsdoctor";  // how the user calls us
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t terminal_width = 0;  // columns of stdout; 0 when it is no terminal
  std::size_t err_width = 0;       // the same of stderr
  std::function<model::Time()> now;
};

/// Prints `error: ...` and its hints.
ExitCode fail(Context& ctx, const base::Error& error);

/// Prints what was read but is not valid, a line each, at most twenty.
void warn(Context& ctx, const std::vector<model::Warning>& warnings);
/// The same of lines that are worded already; all of them.
void warn(Context& ctx, const std::vector<std::string>& lines);

/// The flags that say which cluster is meant, as far as they were given, with their values.
[[nodiscard]] GivenFlags given_cluster_flags(const SourceOptions& options);

/// Neither files nor the demo.
[[nodiscard]] bool reads_cluster(const SourceOptions& options);

struct Opened {
  std::unique_ptr<source::ClusterSource> source;
  std::string ns;                // that is looked at when -A is not given; empty: all of them
  std::string manifest_ns = {};  // where manifests go that name none; empty: "default"
};

/// The files or the demo; null where a cluster is to be read.
[[nodiscard]] std::unique_ptr<source::ClusterSource> offline_source(const SourceOptions& options,
                                                                    Context& ctx);

/// `ns`; nothing where the DaemonSets of all namespaces are looked at.
[[nodiscard]] std::string looked_at(const SourceOptions& options, const std::string& ns);

/// Opens what the options name: files, the demo, or the cluster of the kubeconfig. Prints what is
/// worth a warning about the latter; sends nothing yet. `names`: what is asked about.
[[nodiscard]] base::Result<Opened> open_source(const SourceOptions& options,
                                               const std::vector<ObjectName>& names, Context& ctx);

/// Printed commands have no flags.
[[nodiscard]] render::Presentation style_for(const ListOptions& options, const Context& ctx);

/// The flags that printed commands repeat.
[[nodiscard]] render::Address address_for(const AnswerOptions& options, const GivenFlags& what_if,
                                          const Context& ctx);

}  // namespace dsdoctor::cmd
