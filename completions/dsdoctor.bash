# SPDX-License-Identifier: Apache-2.0
# bash completion for kubectl-dsdoctor called directly; for `kubectl dsdoctor` kubectl's own
# completion calls kubectl_complete-dsdoctor.
_kubectl_dsdoctor() {
  local words=() rest=$COMP_LINE word before last=" " i
  # bash splits words at "=", ":" and "@", as in `--flag=value` and `admin@prod`: parts without a
  # blank between them are joined again.
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    before=${rest%%[![:space:]]*}
    rest=${rest#"$before"}
    rest=${rest#"$word"}
    if [[ -z $before && -n $word && $i -gt 0 && $last$word == *[=:@]* &&
      ($word =~ ^[=:@]+$ || $last =~ ^[=:@]+$) ]]; then
      words[${#words[@]} - 1]+=$word
    elif [[ -z $before && -z $word && $last =~ ^[=:@]+$ ]]; then
      : # the cursor is directly after it
    else
      words+=("$word")
    fi
    last=$word
  done
  local current=${words[${#words[@]} - 1]} typed=${COMP_WORDS[COMP_CWORD]} flag="" output directive line
  if [[ $typed =~ ^[=:@]+$ ]]; then typed=; fi
  if [[ $current == --*=* ]]; then flag=${current%%=*}=; fi
  local head=${current%"$typed"}  # bash keeps this part and replaces the rest
  output=$("${words[0]}" __completeNoDesc "${words[@]:1}" 2>/dev/null) || return
  directive=${output##*:}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -n $line && $flag$line == "$current"* ]]; then
      line=$flag$line
      COMPREPLY+=("${line#"$head"}")
    fi
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
