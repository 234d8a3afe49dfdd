# What may come next on a command line of @program@. In ~/.bashrc:
#
#   source <(@program@ completion bash)

@function@() {
  local words word program kind='' item about prefix=''
  read -a words <<<"${COMP_LINE:0:COMP_POINT}"
  [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=('')
  word=${words[${#words[@]}-1]}
  program=${words[0]/#\~/$HOME}
  # Readline replaces what stands behind the = only.
  [[ $word == -*=* && $COMP_WORDBREAKS == *=* ]] && prefix=${word%%=*}=
  COMPREPLY=()
  while IFS=$'\t' read -r item about; do
    if [[ -z $kind ]]; then
      kind=$item
    else
      COMPREPLY+=("${item#"$prefix"}")
    fi
  done < <("$program" completion words --word="$word" -- "${words[@]:1:${#words[@]}-2}" 2>/dev/null)
  case $kind in
    words) compopt +o default 2>/dev/null ;;
    directories) compopt -o dirnames +o default 2>/dev/null ;;
  esac
}

complete -o default -F @function@ -- '@quoted@'
