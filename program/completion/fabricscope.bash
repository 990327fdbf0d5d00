# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for fabricscope. The program itself says what may come; where it says nothing, bash completes file
# names.

_fabricscope() {
    # In --option=value the = is a word of its own.
    local before=() word offered current=${COMP_WORDS[COMP_CWORD]#=}
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == = ]] || before+=("$word"); done
    offered=$("$1" __complete "${before[@]}" "$current" 2>/dev/null | cut -f 1)
    mapfile -t COMPREPLY < <(compgen -W "$offered" -- "$current")
}

complete -o default -F _fabricscope fabricscope
