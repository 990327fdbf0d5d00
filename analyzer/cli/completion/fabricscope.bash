# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for fabricscope. Options are read from the program's own help, so they need no list here.

_fabricscope() {
    local cur prev words cword
    _init_completion || return

    if [[ $cword -eq 1 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "analyze stream timeline fields rules --help --version" -- "$cur")
        return
    fi
    case $prev in
        --connection) return ;;
        --from)
            mapfile -t COMPREPLY < <(compgen -W "client server" -- "$cur")
            return
            ;;
        --protocol)
            mapfile -t COMPREPLY < <(compgen -W "smcr" -- "$cur")
            return
            ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_parse_help "$1" "${words[1]} --help")" -- "$cur")
        return
    fi
    case ${words[1]} in
        analyze | stream | timeline) _filedir ;;
        rules) mapfile -t COMPREPLY < <(compgen -W "$("$1" rules 2>/dev/null | cut -d ' ' -f 1)" -- "$cur") ;;
    esac
} &&
    complete -F _fabricscope fabricscope
