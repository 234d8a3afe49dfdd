# What may come next on a command line of @program@. In ~/.config/fish/config.fish:
#
#   @program@ completion fish | source

function @function@
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $before[1])
    set -e before[1]
    set -l lines ($program completion words --word="$word" -- $before 2>/dev/null)
    set -l prefix (string match -r -- '^-[^=]*=' $word)
    set -l rest (string replace -- "$prefix" '' "$word")
    switch "$lines[1]"
        case files
            for path in (__fish_complete_path "$rest")
                printf '%s%s\n' "$prefix" $path
            end
        case directories
            for path in (__fish_complete_directories "$rest")
                printf '%s%s\n' "$prefix" $path
            end
        case words
            printf '%s\n' $lines[2..-1]
    end
end

complete -c '@quoted@' -e
complete -c '@quoted@' -f -a '(@function@)'
