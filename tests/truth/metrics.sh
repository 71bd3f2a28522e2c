# metrics.sh: metrics: a program's own count exactly, those of the system within what it provoked, and unavailable ones are reported.
. "$(dirname "$0")/../expect.sh"

# values RUN METRIC: lines "exclusive inclusive region" from its TAU profiles, threads added up, windows of `profile` given before
values() {
	cat "$T/$1.tau/MULTI__$2"/profile.* | awk -F '"' '/^"/ && /GROUP/ {
		name = $2; sub(/ \[\{.*/, "", name); split($3, v, " ")
		excl[name] += v[3]; incl[name] += v[4]
	} END { for (n in excl) printf "%.17g %.17g %s\n", excl[n], incl[n], n }'
}
# value RUN METRIC COLUMN REGION
value() { values "$1" "$2" | awk -v c="$3" -v r="$4" '{ n = $0; sub(/^[^ ]+ [^ ]+ /, "", n) } n == r { print $c }'; }
profile() { rm -rf "$T/$1.tau"; tau-trace2profile -o "$T/$1.tau" "$T/$1.run"; }
# between WHAT GOT LOW HIGH
between() {
	if awk -v g="$2" -v a="$3" -v b="$4" 'BEGIN { exit !(g != "" && g + 0 >= a && g + 0 <= b) }'; then
		pass "$1 ($2)"
	else
		fail "$1: $2 is not from $3 to $4"
	fi
}
# said RUN REGION WHAT: what the program itself read inside and around the region
said() { sed -n "s/^BETWEEN $2 $3 //p" "$T/$1.out"; }
# agrees WHAT RUN METRIC REGION READING [UNIT [MORE]]: the metric is between the two readings, which are taken by UNIT; some more may be
# counted than the program read.
agrees() {
	set -- "$1" "$(value "$2" "$3" 1 "$4")" ${6:-1} ${7:-0} $(said "$2" "$4" "$5")
	between "$1" "$2" "$(awk "BEGIN { printf \"%.3f\", $5 / $3 }")" "$(awk "BEGIN { printf \"%.3f\", $6 / $3 + $4 }")"
}
# clock RUN: the most that a task's clock may show for 50 ms of work, in ns: all the time they took, as the processor may be lent to
# other machines meanwhile. Two clocks are read one after the other, and the time in between counts in one of them only.
clock() { value "$1" TIME 1 burn | awk '{ printf "%.0f\n", $1 * 1000 * 1.01 }'; }
# truths RUN: what the program prints about its metric
truths() {
	sed -n 's/^EXPECT metric //p' "$T/$1.out" >"$T/$1.truth"
	ok "$1: the program says what its metric must show" test -s "$T/$1.truth"
	while read -r metric region _ excl _ incl; do
		is "$1: $metric in $region" "$(value "$1" "$metric" 1 "$region") $(value "$1" "$metric" 2 "$region")" "$excl $incl"
	done <"$T/$1.truth"
}

for n in 1 2 8; do
	record own$n --metrics work -- "$B/apps/metrics" 7 $n
	is "$n threads: the program ends as it should" "$code" 0
	is "$n threads: its metric is wanted" "$(grep -c '^registered 1' "$T/own$n.out")" 1
	profile own$n
	truths own$n
	is "$n threads: the files verify" "$(tau-dump --check "$T/own$n.run" | grep -vc ': ok: ')" 0
done
like "the reading of a metric is no lost event" "$(cat "$T/own8.err")" ' 0 lost'

"$B/apps/metrics" 7 1 >"$T/plain.out"
is "without the recorder the program is not asked" "$(head -1 "$T/plain.out")" "registered 0"
record other --metrics CPU_TIME -- "$B/apps/metrics" 7 1
is "a metric that is not in the list is not asked for" "$(head -1 "$T/other.out")" "registered 0"
record none -- "$B/apps/metrics" 7 1
profile none
ok "without metrics there is one set of profiles" test -f "$T/none.tau/profile.0.0.0"

# ---- the system ----
record system --metrics CPU_TIME:PAGE_FAULTS:MINOR_PAGE_FAULTS:VOLUNTARY_CONTEXT_SWITCHES:RESIDENT_MEMORY -- "$B/apps/metrics" 7 1
profile system
set -- $(said system touch faults)
ok "2000 pages are touched, by $1 faults" test "$1" -ge 2000
agrees "page faults of 2000 pages touched" system PAGE_FAULTS touch faults
is "they are minor ones" "$(value system MINOR_PAGE_FAULTS 1 touch)" "$(value system PAGE_FAULTS 1 touch)"
agrees "those where nothing is touched" system PAGE_FAULTS rest faults
between "50 ms of work are 50 ms of CPU time, and no more than of time" "$(value system CPU_TIME 1 burn)" 50000 \
	"$(value system TIME 1 burn | awk '{ print $1 * 1.01 }')"
agrees "as the thread's clock has it" system CPU_TIME burn cpu 1000
agrees "50 ms of sleep are what it takes to lie down" system CPU_TIME rest cpu 1000
set -- $(said system rest time)
between "but 50 ms of time" "$(value system TIME 1 rest | awk '{ printf "%.0f", $1 * 1000 }')" $(($1 / 100 * 99)) $(($2 / 100 * 101))
between "who sleeps gives up the processor" "$(value system VOLUNTARY_CONTEXT_SWITCHES 1 rest)" 1 1e9
agrees "as often as the system says" system VOLUNTARY_CONTEXT_SWITCHES rest voluntary
between "memory that was given back is not gained" "$(value system RESIDENT_MEMORY 2 touch)" -4000000 2000000

# What the recorder reads and writes in the program's threads, chunks of the trace among it, is none of the program's.
record moved --metrics READ_BYTES,WRITE_BYTES,RESIDENT_MEMORY -- "$B/apps/metrics" 7 2
profile moved
is "bytes read" "$(value moved READ_BYTES 1 move) $(value moved READ_BYTES 2 main)" "5000 5000"
is "bytes written" "$(value moved WRITE_BYTES 1 move)" 70000
is "none of either in those that move none" "$(value moved READ_BYTES 2 job) $(value moved WRITE_BYTES 2 job)" "0 0"
record chunks --metrics READ_BYTES,WRITE_BYTES -- "$B/apps/control" 2000
profile chunks
ok "a trace of many chunks" test "$(tau-dump --check "$T/chunks.run" | sed -n 's/.*ok: \([0-9]*\) chunk.*/\1/p' | head -n 1)" -gt 1
is "whose writing is none of the program's" "$(value chunks WRITE_BYTES 1 leaf) $(value chunks READ_BYTES 1 leaf)" "0 0"
record walked --metrics READ_BYTES,HEAP_MEMORY -- "$B/apps/metrics" 7 2
profile walked
is "nor is what the walk over memory reads" "$(value walked READ_BYTES 1 '.TAU memory census') $(value walked READ_BYTES 1 move)" "0 5000"

# ---- the kernel's counters, under PAPI's names ----
record kernel --metrics perf::TASK-CLOCK,perf::PAGE-FAULTS -- "$B/apps/metrics" 7 4
if grep -q 'refuses it' "$T/kernel.err"; then
	skip "the kernel's own counters" "the kernel refuses them here"
else
	profile kernel
	agrees "the kernel counts the page faults too" kernel perf::PAGE-FAULTS touch faults 1 100
	between "and the time on a processor, in ns" "$(value kernel perf::TASK-CLOCK 1 burn)" 49000000 "$(clock kernel)"
fi

# ---- PAPI, replaced by another library ----
if ${CC:-cc} -shared -fPIC -o "$T/libpapi.so" "$TOP/fixtures/apps/papi/papi.c" 2>"$T/cc.err"; then
	export TAU_RECORD_PAPI="$T/libpapi.so" FAKE_PAPI_LOG="$T/papi.log"
	record papi --metrics fake:::READS,PAPI_TOT_INS,PAPI_L1_DCM,PAPI_NATIVE_fake:::READS -- "$B/apps/metrics" 7 3
	like "what PAPI cannot count is reported with its reason" "$(cat "$T/papi.err")" \
		'metric PAPI_L1_DCM: PAPI cannot count it on this machine: it conflicts with what the hardware counts; recorded without it'
	profile papi
	is "events of PAPI: one reading from enter to leave" "$(value papi PAPI_TOT_INS 1 leaf) $(value papi fake:::READS 1 leaf)" "600 60"
	is "a region is charged from its enter to its leave" "$(value papi PAPI_TOT_INS 2 recurse)" "270"
	is "a native event may be called so" "$(value papi PAPI_NATIVE_fake:::READS 1 leaf)" 60
	like "threads that end stop their counters" "$(tail -1 "$T/papi.log")" '^inits 1 starts 9 stops 7 gone 2$'
	unset FAKE_PAPI_LOG
	# its files, and the descriptors of the kernel's counters, are not the program's
	record wrapped --wrap io,process,pthread --metrics PAPI_TOT_INS,perf::PAGE-FAULTS -- "$B/apps/threads" 4
	is "counters with the wrapper of files: the program ends as it should" "$code" 0
	expect wrapped
	tau-trace2profile --format csv "$T/wrapped.run" >"$T/wrapped.csv"
	is "no file of PAPI's is among those of the program" "$(grep -c -e /dev/null -e 'fopen()' "$T/wrapped.csv")" 0
	record forked --wrap io,process,pthread --metrics PAPI_TOT_INS,perf::PAGE-FAULTS -- "$B/apps/forks"
	is "and with children, too" "$code" 0
	expect forked
	unset TAU_RECORD_PAPI
else
	skip "PAPI's events" "there is no compiler"
fi

# ---- PAPI itself ----
papi_has() { [ -z "$(tau-record -o "$T/has.run" --metrics "$1" -- true 2>&1 | grep 'recorded without it')" ]; }
# files RUN: the open files that the program finds, wherever it looks
files() { grep '^FILES ' "$T/$1.out"; }
TASK=PAPI_NATIVE_perf::TASK-CLOCK
SOFT=PAPI_NATIVE_perf::PAGE-FAULTS,$TASK,PAPI_NATIVE_perf::CONTEXT-SWITCHES
if ! echo 'int main(void) { return 0; }' | ${CC:-cc} -x c - -o "$T/haspapi" -lpapi 2>/dev/null; then
	skip "PAPI itself" "libpapi-dev is not installed"
elif ! papi_has PAPI_NATIVE_perf::PAGE-FAULTS; then
	skip "PAPI itself" "the kernel refuses its counters here"
else
	record soft --metrics "$SOFT,MINOR_PAGE_FAULTS,CPU_TIME,work" -- "$B/apps/metrics" 7 4
	is "PAPI with other metrics, 4 threads: the program ends as it should" "$code" 0
	profile soft
	truths soft
	agrees "PAPI counts the page faults" soft PAPI_NATIVE_perf::PAGE-FAULTS touch faults 1 100
	between "and the time on a processor, in ns" "$(value soft $TASK 1 burn)" 49000000 "$(clock soft)"
	if papi_has PAPI_NATIVE_perf::CONTEXT-SWITCHES; then
		agrees "and the switches, which happen in the kernel" soft PAPI_NATIVE_perf::CONTEXT-SWITCHES rest switches
	fi

	# threads, children of threads, their children and another program, each from 0, and no file of it in the program's way
	"$B/apps/counted" 3 >"$T/counted0.out" </dev/null 2>/dev/null
	plain=$?
	for wraps in none io,process,pthread,memory; do
		record counted --wrap $wraps --metrics "$SOFT" -- "$B/apps/counted" 3
		is "PAPI, --wrap $wraps: threads, forks and exec: the exit status" "$code" "$plain"
		is "PAPI, --wrap $wraps: the program finds the files that it finds without" "$(files counted)" "$(files counted0)"
		is "PAPI, --wrap $wraps: it is counted to the end" "$(grep -c 'cannot be read' "$T/counted.err")" 0
		profile counted 2>/dev/null
		sed -n 's/^FAULTS //p' "$T/counted.out" >"$T/counted.truth"
		is "PAPI, --wrap $wraps: the program says what its faults were" "$(wc -l <"$T/counted.truth")" 4
		while read -r region _ pages _ counted; do
			between "PAPI, --wrap $wraps: $region, $pages pages" \
				"$(value counted PAPI_NATIVE_perf::PAGE-FAULTS 2 "$region")" "$counted" $((counted + 40))
		done <"$T/counted.truth"
	done
	record closed --metrics "$SOFT" -- "$B/apps/counted" close
	is "PAPI's files closed by the program, which opens its own: no process reads them" "$code" 0
	like "that the counting ended is reported" "$(cat "$T/closed.err")" 'metric PAPI_NATIVE_perf::PAGE-FAULTS cannot be read any more'
	if grep -q ' hypervisor ' /proc/cpuinfo && ! papi_has PAPI_TOT_INS; then
		record preset --metrics "PAPI_TOT_INS,$SOFT" -- "$B/apps/counted" 1 exec
		is "a counter that the processor does not show is refused in one sentence" "$(grep -c . "$T/preset.err") $(head -1 "$T/preset.err")" \
			"2 tau-record: metric PAPI_TOT_INS: this machine shows no hardware counters; recorded without it"
	fi

	# 32 at once, 22 of them PAPI's
	many=
	for e in CPU-CLOCK TASK-CLOCK PAGE-FAULTS FAULTS CONTEXT-SWITCHES CS CPU-MIGRATIONS MIGRATIONS MINOR-FAULTS MAJOR-FAULTS; do
		many=$many,PAPI_NATIVE_perf::$e,PAPI_NATIVE_perf::$e:u=1,perf::$e
	done
	record lots --metrics "work$many,CPU_TIME" -- "$B/apps/metrics" 7 2
	is "32 metrics, 20 of them PAPI's: the exit status" "$code" 0
	is "32 metrics: all are recorded" "$(grep -c . "$T/lots.err")" 1
	profile lots
	is "32 metrics: and there" "$(ls "$T/lots.tau" | wc -l)" 33
	truths lots
	for m in PAPI_NATIVE_perf::PAGE-FAULTS PAPI_NATIVE_perf::FAULTS:u=1 perf::MINOR-FAULTS; do
		agrees "32 metrics: $m" lots $m touch faults 1 100
	done

	# a program that counts with PAPI itself
	cat >"$T/own.c" <<-'END'
	#include <papi.h>
	#include <stdio.h>
	int main(void)
	{
		static char page[400 * 4096];
		int set = PAPI_NULL, code;
		long long n = 0;

		if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
		    PAPI_event_name_to_code("perf::PAGE-FAULTS", &code) || PAPI_create_eventset(&set) ||
		    PAPI_add_event(set, code) || PAPI_start(set))
			return 1;
		for (int i = 0; i < 400; i++)
			((volatile char *)page)[i * 4096] = 1;
		if (PAPI_stop(set, &n))
			return 2;
		printf("%s\n", n > 0 ? "counted" : "nothing");
		return 4;
	}
	END
	if cc "$T/own.c" -o "$T/own" -lpapi 2>"$T/cc.err"; then
		record mine --metrics "PAPI_NATIVE_perf::PAGE-FAULTS,CPU_TIME" -- "$T/own"
		is "a program that counts with PAPI itself does so" "$(cat "$T/mine.out") $code" "counted 4"
		like "and why PAPI's events are not recorded is reported" "$(cat "$T/mine.err")" \
			'metric PAPI_NATIVE_perf::PAGE-FAULTS is not recorded .*: the program has loaded PAPI for itself$'
	fi
	# one that loads it while it runs, shuts it down and begins anew: what its functions return is what they return without us
	cat >"$T/later.c" <<-'END'
	#include <dlfcn.h>
	#include <papi.h>
	#include <pthread.h>
	#include <stdio.h>
	#define CALL(f) ((__typeof__(&f))dlsym(papi, #f))
	static void *papi;
	static char page[400 * 4096];
	__attribute__((noinline)) void touch(void)
	{
		for (int i = 0; i < 400; i++)
			((volatile char *)page)[i * 4096]++;
	}
	static unsigned long self(void)
	{
		return (unsigned long)pthread_self() + 1;
	}
	static void *count(void *thread)
	{
		long long n = -1;
		int set = PAPI_NULL, code, r = thread ? CALL(PAPI_register_thread)() : 0;
		int named = CALL(PAPI_event_name_to_code)("perf::PAGE-FAULTS", &code);
		int made = CALL(PAPI_create_eventset)(&set), added = CALL(PAPI_add_event)(set, code);
		int started = CALL(PAPI_start)(set), stopped;
		touch();
		stopped = CALL(PAPI_stop)(set, &n);
		printf("set %d: %d %d %d %d %d %d, %s\n", set, r, named, made, added, started, stopped, n < 0 ? "nothing" : "counted");
		return NULL;
	}
	static int begin(void)
	{
		return CALL(PAPI_library_init)(PAPI_VER_CURRENT) == PAPI_VER_CURRENT;
	}
	int main(void)
	{
		pthread_t t;
		touch();
		papi = dlopen("libpapi.so", RTLD_NOW | RTLD_GLOBAL);
		if (!papi)
			return 1;
		printf("init %d\n", begin());
		printf("threads %d\n", CALL(PAPI_thread_init)(self));
		count(NULL);
		pthread_create(&t, NULL, count, papi);
		pthread_join(t, NULL);
		CALL(PAPI_shutdown)();
		for (int i = 0; i < 100; i++)
			touch();
		printf("again %d\n", begin());
		count(NULL);
		return dlclose(papi) ? 2 : 4;
	}
	END
	if cc -O1 -finstrument-functions "$T/later.c" -o "$T/later" -lpthread 2>"$T/cc.err"; then
		("$T/later") >"$T/later0.out" 2>"$T/later0.err"
		plain=$?
		for wraps in none io,process,pthread,memory; do
			if [ $plain -gt 128 ]; then
				skip "a program that loads PAPI later, --wrap $wraps" "PAPI crashes it on this machine without the recorder, too"
				continue
			fi
			record later --wrap "$wraps" --metrics "PAPI_NATIVE_perf::PAGE-FAULTS,CPU_TIME" -- "$T/later"
			is "a program that loads PAPI later, --wrap $wraps: as without" "$(cat "$T/later.out") $code" "$(cat "$T/later0.out") $plain"
			profile later
			ok "and it is counted to the end" test "$(value later PAPI_NATIVE_perf::PAGE-FAULTS 1 touch)" -ge 390
			is "no process complains about that" "$(grep -c 'PAPI' "$T/later.err")" 0
		done
	fi

	if [ -e "$B/libtau-mpi.so" ]; then
		timeout -k 5 300 mpirun -np 4 $(output_apart "$T/ranks.io") tau-record -o "$T/ranks.run" --wrap mpi,io,pthread \
			--metrics "$SOFT,CPU_TIME" -- "$B/apps/mpip2p" >/dev/null 2>"$T/ranks.err" </dev/null
		is "PAPI under mpirun: the exit status" $? 0
		find "$T/ranks.io" -name stdout | sort | xargs cat >"$T/ranks.out"
		is "PAPI under mpirun: the program finds its own results right" "$(grep -c '^BAD' "$T/ranks.out")" 0
		expect ranks
		profile ranks
		is "PAPI under mpirun: every rank has used a processor" "$(cat "$T/ranks.tau/MULTI__$TASK"/profile.[0-3].0.0 |
			awk '/"MPI_Init[^=]*" 1 / && $5 > 1000 { n++ } END { print n + 0 }')" 4
	fi
fi

# ---- a kernel that gives no counters ----
if "$B/apps/refuse" 1 true 2>/dev/null; then
	"$B/apps/counted" 1 exec >"$T/refused0.out" 2>&1 </dev/null
	plain=$?
	nosys="Function not impl""emented"
	while read -r number why; do
		rm -rf "$T/refused.run" "$T/refusedp.run"
		"$B/apps/refuse" "$number" tau-record --sample=none -o "$T/refused.run" --metrics perf::TASK-CLOCK,CPU_TIME -- \
			"$B/apps/counted" 1 exec >"$T/refused.out" 2>"$T/refused.err" </dev/null
		is "perf_event_open gives '$why': output and exit status are the program's" "$? $(cat "$T/refused.out")" "$plain $(cat "$T/refused0.out")"
		is "'$why' is reported in one sentence" "$(grep -c . "$T/refused.err") $(head -1 "$T/refused.err")" \
			"2 tau-record: metric perf::TASK-CLOCK: the kernel refuses it: $why; recorded without it"
		profile refused
		is "'$why': the others are recorded" "$(ls "$T/refused.tau" | tr '\n' ' ')" "MULTI__CPU_TIME MULTI__TIME "
		is "'$why': PAPI's events are refused, too, with a reason" \
			"$("$B/apps/refuse" "$number" tau-record -o "$T/refusedp.run" --metrics PAPI_NATIVE_perf::TASK-CLOCK,PAPI_TOT_INS \
				-- true 2>&1 | grep -c '^tau-record: metric PAPI.*: .*; recorded without it$')" 2
	done <<-END
	1 Operation not permitted
	13 Permission denied
	38 $nosys
	END
	like "--doctor names the filter" "$("$B/apps/refuse" 1 tau-record --doctor </dev/null)" \
		'^kernel +absent .*: the kernel refuses it: Operation not permitted: a seccomp filter is active'
else
	skip "a kernel that gives no counters" "no seccomp here"
fi
# Who may not see into the kernel would count 0 of what happens there only.
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null)
if [ "$(id -u)" -eq 0 ] && [ "${paranoid:-0}" -ge 2 ] && command -v setpriv >/dev/null; then
	mkdir "$T/all" && cp "$B/tau-record" "$B"/libtau*.so "$B/apps/counted" "$T/all" && chmod -R a+rwX "$T"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$T/all/tau-record" -o "$T/all/run" \
		--metrics perf::CONTEXT-SWITCHES,perf::PAGE-FAULTS -- "$T/all/counted" 1 exec >/dev/null 2>"$T/all.err"
	is "a user who may not see into the kernel" "$?" 5
	like "is reported what is not counted" "$(cat "$T/all.err")" 'metric perf::CONTEXT-SWITCHES: the kernel refuses it: Permission denied; recorded without it'
	is "and the rest is" "$(tau-trace2profile -o "$T/all.tau" "$T/all/run"; ls "$T/all.tau" | tr '\n' ' ')" "MULTI__TIME MULTI__perf::PAGE-FAULTS "
else
	skip "a user who may not see into the kernel" "not root, or every user may"
fi

# ---- unavailable metrics ----
record absent --metrics perf::NO-SUCH-EVENT,CPU_TIME -- "$B/apps/metrics" 7 1
is "an absent event leaves the exit status" "$code" 0
like "it is reported in one sentence" "$(grep -c . "$T/absent.err") $(head -1 "$T/absent.err")" '^2 tau-record: metric perf::NO-SUCH-EVENT: .*; recorded without it$'
profile absent
is "and the others are recorded" "$(ls "$T/absent.tau" | tr '\n' ' ')" "MULTI__CPU_TIME MULTI__TIME "
record strict --strict --metrics perf::NO-SUCH-EVENT,CPU_TIME -- "$B/apps/metrics" 7 1
is "--strict: the program is not run" "$code $(cat "$T/strict.out")" "125 "
like "--strict: and why" "$(cat "$T/strict.err")" 'metric perf::NO-SUCH-EVENT: .*; not run \(--strict\)$'
TAU_METRICS=TIME:CPU_TIME tau-record -o "$T/env.run" -- "$B/apps/metrics" 7 1 >/dev/null 2>&1
profile env
is "TAU_METRICS asks too" "$(ls "$T/env.tau" | tr '\n' ' ')" "MULTI__CPU_TIME MULTI__TIME "
record never --metrics nobody -- "$B/apps/metrics" 7 1
like "at the end of the recording" "$(tau-record -o "$T/never2.run" --metrics nobody "$B/apps/metrics" 7 1 2>&1 >/dev/null)" 'never registered are 0: nobody'
is "a name that is nearly one of a metric is an error" "$(tau-record -o "$T/near.run" --metrics PAGE_FAULTS,CPU_TIM true 2>&1; echo $?; ls -d "$T/near.run" 2>/dev/null)" \
	"tau-record: --metrics: unknown metric 'CPU_TIM'; did you mean 'CPU_TIME'? (+CPU_TIM: the program registers it)
125"
like "unless it is the program's" "$(tau-record -o "$T/plus.run" --metrics +CPU_TIM "$B/apps/metrics" 7 1 2>&1 >/dev/null)" 'never registered are 0: CPU_TIM'
like "a metric that the program never brings is named" "$(tau-trace2profile -f csv "$T/never.run" 2>&1 >/dev/null)" 'nobody'

# ---- many ----
many=$(seq -f 'm%g' 31 | tr '\n' ',')work
record many --metrics "$many,one,too" -- "$B/apps/metrics" 7 2
like "more than 32 are refused" "$(cat "$T/many.err")" 'metric too: there are 32 others already'
profile many
is "32 at once and the time" "$(ls "$T/many.tau" | wc -l)" 33
truths many
is "32: the files verify" "$(tau-dump --check "$T/many.run" | grep -vc ': ok: ')" 0

# ---- windows ----
tau-trace2profile -o "$T/w" -w 0%:37% -w 37%:100% -w 0%:100% "$T/own2.run"
sum() { cat "$T/w/$1/MULTI__work"/profile.* | awk -F '"' '/GROUP/ { split($3, v, " "); e += v[3] } END { print e + 0 }'; }
is "windows that meet add up" "$(($(sum 0%:37%) + $(sum 37%:100%)))" "$(sum 0%:100%)"
tap_end
