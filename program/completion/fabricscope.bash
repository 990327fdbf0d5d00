# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for fabricscope. Options and their values are read from the program's own help; where there is
# nothing to offer, bash completes file names.

_fabricscope() {
    local command=${COMP_WORDS[1]} previous=${COMP_WORDS[COMP_CWORD - 1]} word=${COMP_WORDS[COMP_CWORD]} words=
    if [[ $COMP_CWORD -eq 1 ]]; then
        words="analyze capture stream timeline fields rules explain tables replay verify synth view report --help --version"
    elif [[ $word == -* ]]; then
        words=$("$1" "$command" --help 2>/dev/null | grep -oE -e '--[a-z][a-z-]*')
    elif [[ $previous == --* ]]; then
        words=$("$1" "$command" --help 2>/dev/null | sed -nE "s/^ *$previous ([a-z0-9|,-]+).*/\1/p" | tr '|,' '  ')
    elif [[ $command == synth ]]; then
        words=$("$1" synth --list 2>/dev/null | cut -d ' ' -f 1)
    elif [[ $command == rules || $command == explain ]]; then
        words=$("$1" rules 2>/dev/null | tail -n +2 | cut -d ' ' -f 1)
        [[ $command == explain ]] && words+=" $("$1" explain 2>/dev/null | tail -n +2 | cut -d ' ' -f 1)"
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _fabricscope fabricscope
