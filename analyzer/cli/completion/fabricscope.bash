# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for fabricscope. Options are read from the program's own help; where there is nothing to offer,
# bash completes file names.

_fabricscope() {
    local command=${COMP_WORDS[1]} previous=${COMP_WORDS[COMP_CWORD - 1]} word=${COMP_WORDS[COMP_CWORD]} words=
    if [[ $COMP_CWORD -eq 1 ]]; then
        words="analyze stream timeline fields rules --help --version"
    elif [[ $previous == --from ]]; then
        words="client server"
    elif [[ $previous == --protocol ]]; then
        words="smcr"
    elif [[ $word == -* ]]; then
        words=$("$1" "$command" --help 2>/dev/null | grep -oE -e '--[a-z][a-z-]*')
    elif [[ $command == rules ]]; then
        words=$("$1" rules 2>/dev/null | cut -d ' ' -f 1)
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _fabricscope fabricscope
