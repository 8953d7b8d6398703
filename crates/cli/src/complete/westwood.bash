# Completions of westwood for bash. The command itself knows what may stand where.
_westwood() {
    local IFS=$'\n' line files=
    COMPREPLY=()
    while read -r line; do
        if [[ $line == $'\001files' ]]; then files=1; else COMPREPLY+=("$line"); fi
    done < <(command "${1/#\~/$HOME}" complete bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    # The candidates bring their own spaces. Names of files are left to bash, where nothing else fits.
    compopt -o nospace
    if [[ -n $files ]]; then
        if ((${#COMPREPLY[@]} == 0)); then
            compopt +o nospace -o filenames
            COMPREPLY=($(compgen -f -- "${2}"))
        else
            COMPREPLY+=($(compgen -f -- "${2}"))
        fi
    fi
}
complete -F _westwood westwood
