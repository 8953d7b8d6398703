#compdef westwood
# Completions of westwood for zsh. The command itself knows what may stand where.
_westwood() {
    local line word about files='' last=$PREFIX
    local -a before fields whole whole_about open open_about
    [[ -z $compstate[quote] ]] && last=${(Q)PREFIX}
    before=("${(@Q)words[2,CURRENT-1]}")
    for line in ${(f)"$(command ${(Q)words[1]} complete zsh -- "${before[@]}" "$last" 2>/dev/null)"}; do
        if [[ $line == $'\001files' ]]; then
            files=1
            continue
        fi
        fields=("${(@ps:\t:)line}")
        word=$fields[1] about=$fields[1]
        [[ -n $fields[2] ]] && about="$fields[1]  -- $fields[2]"
        if [[ $fields[3] == + ]]; then
            open+=("$word") open_about+=("$about")
        else
            whole+=("$word") whole_about+=("$about")
        fi
    done
    (( $#whole )) && compadd -l -d whole_about -a whole
    (( $#open )) && compadd -S '' -l -d open_about -a open
    [[ -n $files ]] && _files
    (( $#whole + $#open )) || [[ -n $files ]]
}
if [[ $funcstack[1] == _westwood ]]; then
    _westwood "$@"
else
    compdef _westwood westwood
fi
