# bash completion for kubectl-dsdoctor called directly; behind `kubectl dsdoctor` kubectl's own
# completion asks kubectl_complete-dsdoctor.
_kubectl_dsdoctor() {
  local current=${COMP_WORDS[COMP_CWORD]} output directive line
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  # bash takes "=" for a word of its own: put `--flag=value` together again.
  if [[ $COMP_CWORD -ge 2 && $current == "=" ]]; then
    words=("${COMP_WORDS[@]:1:COMP_CWORD-2}" "${COMP_WORDS[COMP_CWORD-1]}=")
    current=
  elif [[ $COMP_CWORD -ge 3 && ${COMP_WORDS[COMP_CWORD-1]} == "=" ]]; then
    words=("${COMP_WORDS[@]:1:COMP_CWORD-3}" "${COMP_WORDS[COMP_CWORD-2]}=$current")
  fi
  output=$("${COMP_WORDS[0]}" __completeNoDesc "${words[@]}" 2>/dev/null) || return
  directive=${output##*:}
  COMPREPLY=()
  while IFS= read -r line; do
    [[ -n $line && $line == "$current"* ]] && COMPREPLY+=("$line")
  done <<<"${output%:*}"
  if ((directive & 2)); then compopt -o nospace; fi
  if ((directive & 16)); then
    compopt -o dirnames
    return
  fi
  if ((directive & 4)) || ((${#COMPREPLY[@]})); then return; fi
  compopt -o default
}
complete -F _kubectl_dsdoctor kubectl-dsdoctor
