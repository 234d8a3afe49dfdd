#compdef @program@
# What may come next on a command line of @program@. In ~/.zshrc:
#
#   source <(@program@ completion zsh)

@function@() {
  local program=${(Q)words[1]} kind line
  local -a lines offers shown
  program=${program/#\~/$HOME}
  lines=("${(@f)$("$program" completion words --word="${(Q)PREFIX}" -- "${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}")
  kind=$lines[1]
  shift lines
  case $kind in
    files)
      [[ $PREFIX == -*=* ]] && compset -P 1 '*='
      _files
      ;;
    directories)
      [[ $PREFIX == -*=* ]] && compset -P 1 '*='
      _files -/
      ;;
    words)
      for line in $lines; do
        offers+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  -- }")
      done
      compadd -l -d shown -a offers
      ;;
  esac
}

(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
if [[ ${funcstack[1]-} == _* ]]; then
  @function@ "$@"
else
  compdef @function@ '@quoted@'
fi
