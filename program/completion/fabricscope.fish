# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for fabricscope. The program itself says what may come; where it says nothing, fish completes file
# names.

function __fabricscope_complete
    set -l words (commandline -opc)
    set -l begun (commandline -ct)
    $words[1] __complete $words[2..-1] "$begun" 2>/dev/null
end

complete -c fabricscope -n 'test -n "$(__fabricscope_complete)"' -f
complete -c fabricscope -a '(__fabricscope_complete)'
