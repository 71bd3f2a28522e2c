# fish completion of a tau- program, from its own words (--help=words).
function __tau_words
	set -l words (commandline -opc)
	set -l program $words[1]
	set -l command
	# Only a word of the program's own is given to it: any other might be a program to record.
	switch (basename $program)
	case tau-db tau-report
		if set -q words[2]; and string match -qv -- '-*' $words[2]
			$program --help=words 2>/dev/null </dev/null | cut -f 1 | string match -q -- $words[2]; and set command $words[2]
		end
	end
	set -l options (string match -q -- '-*' (commandline -ct); and echo yes)
	set -l before $words[-1]
	for line in ($program $command --help=words 2>/dev/null </dev/null)
		set -l part (string split \t -- $line)
		if test "$part[1]" = "$before"; and set -q part[4]
			string split ' ' -- $part[4]
			return
		end
		switch $part[1]
		case '-*'
			set -q options[1]; and printf '%s\t%s\n' $part[1] "$part[3]"
		case '*'
			set -q words[2]; or printf '%s\n' $part[1]
		end
	end
end
complete -c (string replace -r '\.fish$' '' (basename (status filename))) -a '(__tau_words)'
