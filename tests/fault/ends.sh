# ends.sh: processes and threads that begin and end in unusual ways, with hardly any stack, before main and after it, with more
# rights than their user, and out of libraries that come and go: they run as ever, and what they did is in the trace.
. "$(dirname "$0")/../expect.sh"

ends=$B/apps/ends
sound() { ok "$1: the trace is sound" tau-dump --check "$T/$1.run"; }
for c in $("$ends"); do
	case $c in handler | daemon) continue ;; esac
	"$ends" "$c" >/dev/null 2>&1
	plain=$?
	record "$c" "$ends" "$c"
	is "$c: the status is the program's own" "$code" "$plain"
	is "$c: nothing but the recorder's own summary is printed" "$(grep -v '^tau-record: ' "$T/$c.err")" ""
	expect "$c"
	sound "$c"
done
ok "threads that are cancelled give their streams back" test "$(ls "$T/cancelled.run" | grep -c 'tau$')" -le 4

# exit() in a handler at any moment: often inside the recorder
wrong=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	record "handler" "$ends" handler
	(expect handler) >"$T/handler.tap"
	[ "$code" = 14 ] && ! grep '^not ok' "$T/handler.tap" || wrong="$wrong $i"
	! ls "$T/handler.run"/*.live >/dev/null 2>&1 || wrong="$wrong live-$i"
done
is "exit() in a handler, 20 times: the status is its own, the trace exact and complete" "$wrong" ""

# a daemon outlives tau-record, closes everything and changes its directory
record daemon "$ends" daemon "$T/daemon.truth"
i=0
until [ -s "$T/daemon.truth" ] && ! ls "$T"/daemon.run/*.live >/dev/null 2>&1 || [ $i -eq 1200 ]; do sleep 0.1; i=$((i + 1)); done
cp "$T/daemon.truth" "$T/daemon.out"
expect daemon
sound daemon

# programs that give up system calls: any of the recorder's would end them
for how in strict filter; do
	"$B/apps/confined" $how >/dev/null 2>&1
	[ $? -eq 7 ] || { skip "a program confined by seccomp ($how)" "there is no seccomp here"; continue; }
	record $how --sample --wrap pthread,io,process,memory "$B/apps/confined" $how
	is "a program confined by seccomp ($how): the status is its own" "$code" 7
	like "and why recording ends is reported" "$(cat "$T/$how.err")" '^tau: the program sets a seccomp filter; recording of process [0-9]+ ends here$'
	expect $how
	sound $how
done

# constructors of libraries that begin before the recorder, destructors after it
for n in early plugin; do
	cat >"$T/$n.c" <<-END
		static volatile int sink;
		__attribute__((constructor)) static void begin_$n(void) { sink++; }
		__attribute__((destructor)) static void end_$n(void) { sink++; }
		__attribute__((noinline)) void in_$n(void) { sink++; }
		void work(void) { in_$n(); sink++; }
	END
	cc -g -O1 -fPIC -shared -finstrument-functions "$T/$n.c" -o "$T/lib$n.so" || skip_all "no compiler"
done
cat >"$T/user.c" <<-END
	#include <dlfcn.h>
	void in_early(void);
	int main(void) { in_early(); return !dlopen("$T/libplugin.so", RTLD_NOW); }
END
cc -g -O1 -finstrument-functions "$T/user.c" -o "$T/user" -L"$T" -learly -Wl,-rpath,"$T"
record user "$T/user"
cat >"$T/user.out" <<-END
	EXPECT region begin_early calls 1
	EXPECT region end_early calls 1
	EXPECT region in_early calls 1
	EXPECT region begin_plugin calls 1
	EXPECT region end_plugin calls 1
	EXPECT region main calls 1
END
is "a library that is there before the recorder and a plugin that stays to the end: the status" "$code" 0
expect user
sound user
is "its file is closed after the last destructor" "$(ls "$T/user.run" | grep -c live) $(tau-dump --only files "$T/user.run" | grep -c 'not closed')" "0 0"

# plugins that lie where others lay: the names are those of what was called
for n in alpha beta; do
	sed "s/plugin/$n/g" "$T/plugin.c" >"$T/$n.c"
	cc -g -O1 -fPIC -shared -finstrument-functions "$T/$n.c" -o "$T/lib$n.so"
done
record plugins "$B/apps/plugins" 300 "$T/libalpha.so" "$T/libbeta.so"
same=$(sed -n 's/^SAME //p' "$T/plugins.out")
for n in alpha beta; do
	echo "EXPECT region in_$n calls 300"
	echo "EXPECT region begin_$n calls 300"
	echo "EXPECT region end_$n calls 300"
	echo "EXPECT nested work => in_$n calls 300"
done >"$T/plugins.out"
if [ "${same:-0}" -gt 300 ]; then
	expect plugins
	sound plugins
else
	skip "plugins that lie where others lay" "the loader puts them elsewhere here ($same of 600 times)"
fi

# a program with more rights than its user: the recorder, linked in, stays off
if [ "$(id -u)" = 0 ]; then
	cc -g -O1 -finstrument-functions "$TOP/fixtures/apps/burn.hook.c" -I"$TOP/record" -o "$T/secure" \
		-L"$B" -Wl,--no-as-needed -ltau -Wl,-rpath,"$B" -lpthread
	mkdir "$T/secure.run" "$T/open.run"
	TAU_RECORD_DIR="$T/open.run" "$T/secure" 1000 >"$T/secure.out" 2>&1
	ok "a program linked with the recorder records" test -n "$(ls "$T/open.run")"
	chown 65534 "$T/secure" && chmod 4755 "$T/secure" && chmod 777 "$T/secure.run" && chmod 755 "$T"
	TAU_RECORD_DIR="$T/secure.run" "$T/secure" 1000 >"$T/secure.out" 2>&1
	is "with more rights than its user it runs as ever" "$? $(cat "$T/secure.out")" "0 done 1000"
	is "and records nothing" "$(ls "$T/secure.run")" ""
else
	skip "a program with more rights than its user" "not root"
fi

# events of a thread whose stream is gone: lost, and each tool reports the same number
cat >"$T/late.c" <<'END'
#include <limits.h>
#include <pthread.h>
#define SILENT __attribute__((no_instrument_function))
static pthread_key_t key;
volatile long sink;
__attribute__((noinline)) void late(void) { sink++; }
SILENT static void end(void *round)
{
	long n = (long)round;

	if (n < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(key, (void *)(n + 1));
	else
		late();
}
SILENT static void *thread(void *unused) { late(); pthread_setspecific(key, (void *)1); return unused; }
int main(void)
{
	pthread_t t;

	pthread_key_create(&key, end);
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	return 0;
}
END
${CC:-cc} -D_GNU_SOURCE -O1 -finstrument-functions "$T/late.c" -o "$T/late" -lpthread || fail "a program with late events builds"
record late "$T/late"
like "events after a thread's end are lost, and tau-record reports it" "$(cat "$T/late.err")" ' 2 lost,'
is "as does the profile" \
	"$(tau-trace2profile --format json "$T/late.run" 2>/dev/null | grep -o '"TAU Lost Events": "[0-9]*"' | sort -u)" '"TAU Lost Events": "2"'
tap_end
