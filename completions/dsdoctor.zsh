#compdef kubectl-dsdoctor
# SPDX-License-Identifier: Apache-2.0
# zsh completion for kubectl-dsdoctor called directly; for `kubectl dsdoctor` kubectl's own
# completion calls kubectl_complete-dsdoctor.
_kubectl_dsdoctor() {
  local output directive line prefix current=${words[CURRENT]}
  local -a candidates
  output=$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null) || return 1
  directive=${output##*:}
  [[ $current == --*=* ]] && prefix=${current%%=*}=
  for line in "${(@f)${output%:*}}"; do
    [[ -z $line ]] && continue
    line=${line//:/\\:}
    candidates+=("$prefix${line/$'\t'/:}")
  done
  if (( ${#candidates} )); then
    if (( directive & 2 )); then
      _describe -V 'completions' candidates -S ''
    else
      _describe -V 'completions' candidates
    fi
  elif (( directive & 16 )); then
    _files -/
  elif (( ! (directive & 4) )); then
    _files
  fi
}
if [[ $funcstack[1] == _kubectl_dsdoctor ]]; then
  _kubectl_dsdoctor "$@"
else
  compdef _kubectl_dsdoctor kubectl-dsdoctor
fi
