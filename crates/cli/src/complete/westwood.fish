# Completions of westwood for fish. The command itself knows what may stand where.
function __westwood_complete
    set -l before (commandline -opc)
    set -l last (commandline -ct)
    # An open quote, and what it quotes.
    set last (string unescape -- $last; or string replace -r '^[\'"]' '' -- $last)
    for line in (command $before[1] complete fish -- $before[2..] "$last" 2>/dev/null)
        if test "$line" = \x01files
            __fish_complete_path "$last"
        else
            string split -f 1,2 \t -- $line | string join \t
        end
    end
end
complete -c westwood -f -a '(__westwood_complete)'
