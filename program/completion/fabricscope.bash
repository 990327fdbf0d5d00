# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for fabricscope. The program itself says what may come; where it says nothing, bash completes file
# names.

_fabricscope() {
    local words
    words=$("$1" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")
}

complete -o default -F _fabricscope fabricscope
