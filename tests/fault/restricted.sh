# restricted.sh: programs that run with less than the recorder uses: under a seccomp filter from before they began or from later on, without
# the time stamp counter, in a child without the recorder's thread-local storage. They run as without the recorder, and what is not recorded is reported.
. "$(dirname "$0")/../expect.sh"
cd "$T" || exit 1

everything="--sample --unwind --memory=stacks,maps,leaks --wrap io,process,pthread,memory"

# ---- children whose thread-local storage is none of ours ----
for how in exit exec files maps hooks all apart beside; do
	"$B/apps/stranger" $how >plain
	for options in "--wrap none" "$everything" "--metrics CPU_TIME" "--budget 5 --wrap process"; do
		record stranger $options "$B/apps/stranger" $how
		is "a child without our thread-local storage, $how, $options" "$code $(head -1 stranger.out)" "5 $(head -1 plain)"
		is "its trace is sound" "$(tau-dump --check stranger.run 2>&1 | grep -vc ': ok: ')" 0
	done
	[ $how = beside ] || expect stranger
done
like "where nothing waits for it recording ends, which is reported" "$(cat stranger.err)" \
	'^tau: a task made by clone\(\) has thread-local storage of its own making; recording of process [0-9]+ ends here$'

# ---- the time stamp counter ----
"$B/apps/notsc" >plain
if [ $? -ne 5 ]; then
	skip "a program without time stamp counter" "it can not be forbidden here"
else
	for how in prctl syscall; do
		for options in "--wrap none" "$everything" "--sample --memory-every=10ms --wrap none" "--metrics WALL_CLOCK"; do
			record notsc $options "$B/apps/notsc" $how
			is "the time stamp counter is forbidden by $how, $options" "$code $(head -1 notsc.out)" "5 $(head -1 plain)"
			like "why recording ends is reported" "$(cat notsc.err)" \
				'^tau: the program disables the time stamp counter; recording of process [0-9]+ ends here$'
			is "and the trace is sound" "$(tau-dump --check notsc.run 2>&1 | grep -vc ': ok: ')" 0
		done
		expect notsc
	done
fi

# ---- what a program gives up while it runs, and what a child does in which nothing was recorded before ----
for where in "" child; do
	for what in filter counter dispatch; do
		"$B/apps/sandboxed" $what $where >plain
		[ $? -eq 77 ] && { skip "a program without $what $where" "it cannot be given up here"; continue; }
		for options in "" "$everything" "--sample=1ms"; do
			record sandboxed $options "$B/apps/sandboxed" $what $where
			is "$what is given up, $where, $options" "$code $(head -1 sandboxed.out)" "0 computed"
			like "why recording ends is reported" "$(cat sandboxed.err)" \
				'^tau: the program (sets a seccomp filter|disables the time stamp counter|dispatches system calls itself); recording of process [0-9]+ ends here$'
			is "and the trace is sound" "$(tau-dump --check sandboxed.run 2>&1 | grep -vc ': ok: ')" 0
		done
	done
done

# ---- filters ----
filtered=$B/apps/filtered
echo text >file
under() { timeout -s KILL 60 "$@" 2>err; echo $?; }
if [ "$("$filtered" refuse cat file)" != text ]; then
	skip "programs under a seccomp filter" "there is no seccomp here"
	tap_end
fi
for how in kill refuse kill-uname kill-gettid; do
	[ "$("$filtered" $how cat file 2>/dev/null)" = text ] || { skip "cat under a filter, $how" "it needs more here"; continue; }
	for options in "" "$everything"; do
		rm -rf run
		is "cat under a filter that it brings along, $how, $options" "$(under tau-record -o run $options "$filtered" $how cat file)" "text
0"
		like "that it was not recorded is reported" "$(cat err)" \
			'^tau-record: [^ ]*run: processes that run under a seccomp filter were not recorded, .*, use --trust-seccomp$'
		is "nothing of it is in the run" "$(tau-dump run 2>/dev/null | grep -c 'Executable.*/cat')" 0
		is "nor of what watched for it" "$(ls -A run | grep -c filtered)" 0
	done
done
rm -rf run
is "where the filter is known to refuse only, it is recorded" \
	"$(under tau-record -o run --trust-seccomp --wrap io "$filtered" kill-ftruncate sh -c 'cat file; exit 4')" "text
4"
is "nothing is printed then" "$(grep -c 'trust-seccomp' err)" 0
ok "and it is" test "$(ls run | grep -c '\.tau$')" -gt 1

# the run is read while the program runs, as by a backup: that is no process under a filter
rm -rf run
is "files of the run are read meanwhile" "$(under tau-record -o run sh -c 'cat run/.filtered.* | wc -l; cp run/.filtered.* copy; grep -c filter run/.filtered.*')" "1
1
0"
is "nothing is printed then, either" "$(grep -c 'trust-seccomp' err)" 0
rm -rf run
is "a reader comes after a process under a filter" "$(under tau-record -o run sh -c "'$filtered' refuse cat file; cat run/.filtered.* | wc -l")" "text
1
0"
is "that the process was not recorded is reported" "$(grep -c 'trust-seccomp' err)" 1

# tau-record under the filter itself: of what it has tried in a child it need not be afraid
rm -rf run
is "under a filter that ends nothing all is recorded" "$(under "$filtered" kill-personality tau-record -o run --wrap io cat file)" "text
0"
is "nothing is printed then" "$(grep -c 'trust-seccomp' err)" 0
like "and it is" "$(tau-dump run)" 'Executable.*/cat'
rm -rf run
is "under one that ends a call of the recorder's the program runs" "$(under "$filtered" kill-timer_create tau-record -o run cat file)" "text
0"
like "and why it is not recorded is reported" "$(cat err)" \
	"^tau-record: [^ ]*/cat: is under a seccomp filter that ends a process at the recorder's system call timer_create, so it cannot be recorded; it runs unrecorded\$"

# samples have their callers without the call that copies memory
rm -rf run
under "$filtered" refuse-process_vm_readv tau-record -o run --sample=1ms --unwind "$B/apps/sampled" shares >out
is "without process_vm_readv a program is sampled" "$(tail -n 1 out)" 0
ok "and most samples have callers" test "$(tau-dump --only records run | grep -c ' < .* < ')" -gt \
	$(($(tau-dump --only records run | grep -c SAMPLE) / 2))
tap_end
