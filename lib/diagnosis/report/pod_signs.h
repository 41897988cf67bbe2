// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/report/cases.h"
#include "model/pod.h"

/// Helper functions about pods for several families of findings.
namespace dsdoctor::diagnosis {

using TextList = std::initializer_list<std::string_view>;

/// The text as one line of at most 300 bytes, without surrounding blanks and a final period; a
/// longer text loses its middle.
[[nodiscard]] std::string excerpt(std::string_view text);
/// The same for an error of a kubelet or a runtime, without its wrappers.
[[nodiscard]] std::string error_excerpt(std::string_view text);

[[nodiscard]] bool is_one_of(std::string_view word, TextList words);

/// Position of `word` in the first 4 KiB of `text`, ignoring case.
[[nodiscard]] std::size_t place_of(std::string_view text, std::string_view word);  // or npos
[[nodiscard]] bool mentions(std::string_view text, std::string_view word);
[[nodiscard]] bool mentions_any(std::string_view text, TextList words);

/// Whether the kernel could not execute the program of a container, by the messages of Go and of
/// runtimes: `exec /agent: exec format error`. Without "exec" the message may be about another
/// program or a kernel module.
[[nodiscard]] bool is_of_program_format(std::string_view text);

/// Whether `moment` is known and at least `age` before `now`.
[[nodiscard]] bool is_older(const model::OptionalTime& moment, std::chrono::seconds age,
                            model::Time now);
/// Whether `moment` is known and less than `age` before `now`.
[[nodiscard]] bool is_younger(const model::OptionalTime& moment, std::chrono::seconds age,
                              model::Time now);

/// The reason of a waiting container; empty if it is not waiting.
[[nodiscard]] std::string_view waiting_reason(const model::ContainerStatus& status);

/// The state of the last termination: `terminated`, else `last_terminated`; null if the container
/// has not ended.
[[nodiscard]] const model::TerminatedState* last_end(const model::ContainerStatus& status);

[[nodiscard]] Facts::Events events_of(const Facts& facts, const model::Pod& pod);
/// Time when the event was last seen; the epoch if not known.
[[nodiscard]] model::Time last_seen(const model::Event& event);
/// Minimum number of occurrences: at least 1, limited so that sums do not overflow.
[[nodiscard]] std::int64_t times(const model::Event& event);
/// The newest event with one of the reasons; null if there is none. `events`: oldest first.
[[nodiscard]] const model::Event* newest(const Facts::Events& events, TextList reasons);
/// The same, but null if an event with a reason of `progress` is newer.
[[nodiscard]] const model::Event* unresolved(const Facts::Events& events, TextList reasons,
                                             TextList progress);

/// Whether the event is about this container of the pod: by its field path, or because it has none
/// and the pod has no other container.
[[nodiscard]] bool is_of_container(const model::Event& event, const model::Pod& pod,
                                   std::string_view container);

/// The newest event about a failed probe of this container, not before `since`; null if there is
/// none. `kind`: "readiness", "liveness" or "startup". `events`: oldest first.
[[nodiscard]] const model::Event* newest_unhealthy(const Facts::Events& events,
                                                   const model::Pod& pod,
                                                   std::string_view container,
                                                   std::string_view kind,
                                                   const model::OptionalTime& since);

/// The container with that name in the spec; null if there is none.
[[nodiscard]] const model::Container* find_container(const model::Pod& pod, std::string_view name);
/// Memory limit of the container, else of the pod; empty if neither has one.
[[nodiscard]] std::string_view memory_limit(const model::Pod& pod, std::string_view container);
/// The same for a spec, such as a template's.
[[nodiscard]] std::string_view memory_limit(const model::PodSpec& spec, std::string_view container);
[[nodiscard]] const model::Container* find_container(const model::PodSpec& spec,
                                                     std::string_view name);
/// Whether the container is running, or neither waiting nor terminated.
[[nodiscard]] bool is_running(const model::ContainerStatus& status);

/// Whether the container ended before its program began.
[[nodiscard]] bool is_failed_start(const model::TerminatedState& end);
/// The time since when a container that does not run should have been started: the start of its
/// pod, or after a run or a restart of the node the end of that run or the time when the pod's
/// containers became unready. Absent: not known.
[[nodiscard]] model::OptionalTime to_be_started_since(const model::Pod& pod,
                                                      const model::ContainerStatus& status);

/// Seconds after its start by which a container's startup and readiness probes have either passed
/// or failed finally. Missing fields have the API server's defaults, and invalid numbers are
/// clamped to the nearest valid one.
[[nodiscard]] std::int64_t probe_budget(const model::Container& container);

/// Whether the pod is known to have an older revision of the template.
[[nodiscard]] bool is_outdated(const NodeCase& c, const model::Pod& pod);

/// Whether the node's condition Ready is True. False also if the node has never reported.
[[nodiscard]] bool is_ready(const model::Node& node);
/// Whether the node has a condition Ready that is not True.
[[nodiscard]] bool is_known_not_ready(const model::Node& node);

/// Whether the conditions that the kubelet derives Ready from are True: ContainersReady and all
/// readiness gates.
[[nodiscard]] bool is_ready_by_conditions(const model::Pod& pod);

/// Whether the pod is not ready only because its node is not: the node controller has marked it,
/// and its containers run. Needs no node: then an event or the pod's other conditions show it.
/// `events`: of the pod.
[[nodiscard]] bool is_marked_by_node(const NodeCase& c, const model::Pod& pod,
                                     const Facts::Events& events);

/// Whether the node was created or became ready less than threshold::new_node ago.
[[nodiscard]] bool is_new(const model::Node& node, model::Time now);

}  // namespace dsdoctor::diagnosis
