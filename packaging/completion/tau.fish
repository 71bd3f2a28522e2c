# fish completion of a tau- program, from its own words (--help=words).
set -l program (string replace -r '\.fish$' '' (basename (status filename)))
for line in ($program --help=words 2>/dev/null </dev/null)
	set -l part (string split \t -- $line)
	switch $part[1]
	case '--*'
		complete -c $program -l (string sub -s 3 -- $part[1]) -d "$part[3]"
	case '-*'
		complete -c $program -s (string sub -s 2 -- $part[1]) -d "$part[3]"
	case '*'
		complete -c $program -n __fish_is_first_arg -a "$part[1]"
	end
end
