// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/config/kubeconfig.h"
#include "kube/os/environment.h"
#include "line/options.h"
#include "model/cluster.h"
#include "render/words/style.h"
#include "source/cluster_source.h"
#include "source/live/live_source.h"

namespace dsdoctor::cmd {

/// 0: nothing is wrong; 1: something is wrong; 2: no answer, or an incomplete one.
enum class ExitCode { Clean = 0, Findings = 1, Failed = 2 };

/// A terminal that shows frames and sends keys; absent functions: it cannot.
struct Console {
  struct Size {
    std::size_t columns = 0;
    std::size_t rows = 0;
  };
  std::function<bool()> enter;  // the alternate screen, keys without Enter; false: it cannot
  std::function<void()> leave;
  std::function<Size()> size;
  /// The keys that were pressed, as bytes; waits for the first one.
  std::function<std::string(std::chrono::milliseconds at_most)> keys;
  /// Whether the screen was lost and has to be drawn again, e.g. after SIGCONT.
  std::function<bool()> was_lost;
};

/// The process's resources: everything that a command may use besides its options. Tests create
/// their own.
struct Context {
  std::ostream& out;
  std::ostream& err;
  std::istream& in;
  kube::Environment environment;
  std::string program = "kubectl dsdoctor";  // the command that the user runs
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t terminal_width = 0;  // columns of stdout; 0: not a terminal
  std::size_t terminal_rows = 0;   // rows of stdout; 0: not a terminal
  std::size_t err_width = 0;       // columns of stderr; 0: not a terminal
  std::function<model::Time()> now;
  std::vector<std::string> words = {};         // the command line after the program's name
  std::vector<std::string>* errors = nullptr;  // if set, `fail` adds the error
  Console console = {};
  std::function<bool()> is_out_closed = {};  // nobody reads stdout any more; empty: unknown
  std::shared_ptr<const kube::Kubeconfig> kubeconfig = nullptr;  // set if it is read already
  std::size_t answers = 1;  // printed by the command; they share limits
};

/// Prints `error: ...` and its hints, and adds the error without hints to Context::errors.
ExitCode fail(Context& ctx, const base::Error& error);

/// Prints warnings about invalid input, a line each, at most twenty.
void warn(Context& ctx, const std::vector<model::Warning>& warnings);
/// The same for complete sentences, without a limit.
void warn(Context& ctx, const std::vector<std::string>& lines);

/// True unless files or the demo are read.
[[nodiscard]] bool reads_cluster(const SourceOptions& options);

struct Opened {
  std::unique_ptr<source::ClusterSource> source;
  std::string ns;                // the selected namespace without -A; empty: all
  std::string manifest_ns = {};  // for manifests without a namespace; empty: "default"
};

/// The files or the demo; null if a cluster is to be read.
[[nodiscard]] std::unique_ptr<source::ClusterSource> offline_source(const SourceOptions& options,
                                                                    Context& ctx);

/// `ns`; empty if DaemonSets of all namespaces are selected.
[[nodiscard]] std::string looked_at(const SourceOptions& options, const std::string& ns);

/// Opens the source that the options name: files, the demo, or the cluster of the kubeconfig.
/// Prints warnings about the kubeconfig; sends nothing yet. `names`: the arguments.
[[nodiscard]] base::Result<Opened> open_source(const SourceOptions& options,
                                               const std::vector<ObjectName>& names, Context& ctx);

/// The same for a cluster that stays current. REQUIRES: reads_cluster(options).
struct OpenedLive {
  std::unique_ptr<source::LiveSource> source;
  std::string ns;
};
/// `patience`: for the first state; 0: without limit.
[[nodiscard]] base::Result<OpenedLive> open_live_source(const SourceOptions& options,
                                                        const std::vector<ObjectName>& names,
                                                        Context& ctx,
                                                        std::chrono::milliseconds patience);

/// Without the flags that printed commands repeat.
[[nodiscard]] render::Presentation style_for(const ListOptions& options, const Context& ctx);

/// Words of a command line with the names of files instead of their paths.
[[nodiscard]] std::vector<std::string> without_folders(std::vector<std::string> words);

/// The flags that printed commands repeat.
[[nodiscard]] render::Address address_for(const AnswerOptions& options, const GivenFlags& what_if,
                                          const Context& ctx);

}  // namespace dsdoctor::cmd
