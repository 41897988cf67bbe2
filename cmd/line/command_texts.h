#pragma once

#include <string_view>

namespace dsdoctor::cmd {

/// What help says of a command.
struct CommandText {
  std::string_view name;
  std::string_view summary;  // a few words, for a list of commands
  std::string_view description;
  std::string_view examples;  // {} is the program's name
  std::string_view usage;
};

inline constexpr CommandText explain_text = {
    "explain", "Say per node why a DaemonSet's pod is there, or not, and how to cure it",
    "Say per node why a DaemonSet's pod is there, or not, and how to cure it.",
    R"(  # One DaemonSet
  {} explain datadog-agent -n datadog

  # All DaemonSets of all namespaces: the wrong ones in full, the others a line each
  {} explain -A

  # Everything that belongs on one node
  {} explain node/ip-10-0-1-7

  # From a file, every node on a line of its own, with the fields that decide
  {} explain ds/datadog-agent -f cluster.json -o wide
)",
    "explain [NAME... | ds/NAME... | node/NAME] [options]"};

inline constexpr CommandText diff_nodes_text = {
    "diff-nodes", "Show the nodes that miss a pod or have one too many; or compare two nodes",
    "Show where pods are not what the placement rules say: nodes that miss a pod, nodes that have "
    "one too many.\nOr what sets two nodes apart, and which DaemonSets treat them differently "
    "because of it; or where two DaemonSets differ.\nOr what changed on the nodes since a "
    "snapshot, "
    "and which verdicts flipped because of it.\nExits with 1 when there is a difference.",
    R"(  # All DaemonSets of all namespaces
  {} diff-nodes -A

  # One DaemonSet
  {} diff-nodes falco -n security

  # Two nodes
  {} diff-nodes node/gpu-1 node/cp-1

  # Two DaemonSets: on which nodes only one of them is wanted, and why
  {} diff-nodes ds/falco ds/fluent-bit -n security

  # What happened to the nodes since a snapshot
  {} diff-nodes -A --since before.json.zst
)",
    "diff-nodes [NAME... | node/A node/B | ds/A ds/B] [options]"};

inline constexpr CommandText suggest_text = {
    "suggest", "Suggest cures: patches with their effect and risk",
    "Suggest cures: the tolerations that bring a DaemonSet to nodes, each with its effect and "
    "risk, "
    "and what can be done instead.\nPrints a script of kubectl commands, with everything else as "
    "comments; sends nothing.",
    R"(  # What would bring it to the nodes that it is kept from
  {} suggest datadog-agent -n datadog

  # The least that cures every misscheduled pod
  {} suggest datadog-agent -n datadog --for misscheduled

  # The same as a JSON patch that fails when the list has changed meanwhile
  {} suggest datadog-agent -n datadog --for misscheduled -o json-patch > patch.json

  # As a piece of a kustomization, for one node pool
  {} suggest node-exporter -n monitoring --for pool=gpu -o kustomize
)",
    "suggest [NAME...] [options]"};

inline constexpr CommandText check_text = {
    "check", "Check every DaemonSet, only what is wrong; or answer an alert",
    "Check every DaemonSet, and show only what is wrong.\nExits with 1 when something is wrong, "
    "with 2 when it cannot tell.",
    R"(  # All DaemonSets of all namespaces
  {} check -A

  # An alert: what fires it, whether it clears by itself, and when
  {} check -A --alert KubeDaemonSetMisScheduled

  # For a CI system
  {} check -A -o junit > dsdoctor.xml

  # For node_exporter's textfile collector
  {} check -A -o prometheus > dsdoctor.prom
)",
    "check [NAME...] [options]"};

inline constexpr CommandText findings_text = {
    "findings", "Explain the findings that answers speak of",
    "Explain the findings, verdicts and reasons that answers speak of: what each means, how it is "
    "detected, what to do. Reads no cluster.",
    R"(  # All of them, by family
  {} findings

  # One of them
  {} findings untolerated-taint
)",
    "findings [ID] [options]"};

inline constexpr CommandText taints_text = {
    "taints", "Show every taint, what it means, and which DaemonSets tolerate it",
    "Show every taint: its nodes, what it means, who sets it, how long it stays; and which "
    "DaemonSets tolerate it.",
    R"(  # All taints, against the DaemonSets of all namespaces
  {} taints -A

  # One DaemonSet, with the tolerations that match
  {} taints datadog-agent -n datadog

  # With what your own taints mean
  {} taints -A --taints-file taints.yaml
)",
    "taints [NAME... | ds/NAME... | node/NAME...] [options]"};

inline constexpr CommandText snapshot_text = {
    "snapshot", "Save the state that was read, to look at it later or elsewhere",
    "Save exactly the state that the other commands read, to look at it later or elsewhere: -f "
    "FILE "
    "of every command reads it.\nAll namespaces, unless -n names one. Secrets are never read. "
    "Without FILE the name is made of the context and the time.",
    R"(  # The cluster of the current context
  {} snapshot

  # Into a file, and a look at it later
  {} snapshot before.json.zst
  {} explain -A -f before.json.zst

  # To show to others, without names
  {} snapshot --redact for-the-report.json.zst
)",
    "snapshot [FILE | -] [options]"};

inline constexpr CommandText version_text = {"version", "Print the version",
                                             "Print the version of this program. Reads no cluster.",
                                             R"(  # As JSON
  {} version -o json
)",
                                             "version [options]"};

inline constexpr CommandText completion_text = {
    "completion", "Print the completion script of a shell",
    "Print the completion script of a shell: bash, zsh or fish; or the helper that kubectl "
    "asks.\nBehind `kubectl dsdoctor` kubectl's own completion serves, once the helper is on PATH.",
    R"(  # For this bash session, when kubectl-dsdoctor is called directly
  source <({} completion bash)

  # The helper, under the name by which kubectl looks for it
  {} completion kubectl > ~/.local/bin/kubectl_complete-dsdoctor
  chmod +x ~/.local/bin/kubectl_complete-dsdoctor
)",
    "completion SHELL"};

}  // namespace dsdoctor::cmd
