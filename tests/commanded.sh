# commanded.sh: sourced by tests that command a program while it is recorded. The program reads its input from the fifo `in`, descriptor 3
# of the test; the test sets run, the run's directory, and recorder, the number of tau-record.

send() { tau-record --control "$run" "$@" 3>&-; }
# The program comes to its end: its status, and the trace.
end() {
	exec 3>&-
	wait $recorder
	is "$run: the program ends as it does" "$?" 0
	ok "$run: the trace is whole" tau-dump --check "$run"
	is "$run: nothing is repaired or unmatched" "$(grep -cE 'repaired|not running' "$run.err")" 0
}
