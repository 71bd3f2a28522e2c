# other_runtimes.sh: programs that bring a runtime of their own along run under the recorder as without it: sanitizers, other
# allocators, another C library, no loader at all; programs of other languages, and of unusual linking; so do programs that
# a recorded one starts.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

cat >work.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *run(void *n)
{
	for (int i = 0; i < 1000; i++)
		free(malloc((size_t)i));
	return n;
}
int main(void)
{
	pthread_t t[4];
	char *p = calloc(10, 10);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("end %d\n", p[99]);
	free(p);
	return 3;
}
END

# same WHAT PROGRAM ARGS: with each set of wrappers the output and status of the program alone; the last run remains
same() {
	what=$1; shift
	plain=$(timeout 300 "$@" 2>&1; echo $?)
	for wrap in none pthread,io,process,memory; do
		rm -rf run
		with=$(timeout 300 tau-record -o run --sample $unwind --wrap $wrap "$@" 2>err; echo $?)
		grep -Ev '^tau-record: ' err >talk
		is "$what, --wrap $wrap" "$with$(cat talk)" "$plain"
	done
}
unwind=
# shows REGION: it was called in the last run, whose files are sound
shows() {
	is "$what: its trace is sound" "$(tau-dump --check run 2>&1 | grep -vc ': ok: ')" 0
	like "$what: it shows $1" "$(tau-trace2profile --format csv run 2>/dev/null)" "timer,[^,]*$1"
}
for s in address thread leak undefined; do
	cc -g -fsanitize=$s work.c -o $s -lpthread 2>/dev/null || { skip "a program with -fsanitize=$s" "no such library"; continue; }
	[ "$(./$s 2>/dev/null)" = "end 0" ] || { skip "a program with -fsanitize=$s" "it does not run here"; continue; }
	same "a program with -fsanitize=$s" "$T/$s"
done
like "what a sanitizer's allocator leaves out is reported" \
	"$(tau-record -o said --wrap memory "$T/address" 2>&1)" 'memory is not recorded: libasan.so has'
cc -g work.c -o plain -lpthread
for l in libjemalloc.so.2 libtcmalloc.so.4 libtcmalloc_minimal.so.4; do
	LD_PRELOAD=$l ./plain 2>&1 | grep -q 'cannot be preloaded' && continue
	export LD_PRELOAD=$l
	same "a program with $l" "$T/plain"
	unset LD_PRELOAD
done
if cc -static work.c -o static -lpthread 2>/dev/null; then
	same "a static program" "$T/static"
	like "that it cannot be recorded is reported" "$(cat err)" '^tau-record: .*/static: is statically linked, so it cannot be recorded'
else
	skip "a static program" "no static libc"
fi
# valgrind sees the recorder move between stacks, which the recorder registers with it
if command -v valgrind >/dev/null && valgrind -q true 2>/dev/null; then
	cc -g -O1 -finstrument-functions work.c -o watched -lpthread
	rm -rf run
	got=$(tau-record -o run --sample --wrap pthread,io,process,memory valgrind -q --error-exitcode=9 ./watched 2>err; echo $?)
	is "a program under valgrind: no error is found that is none of its own" "$got $(grep -c '^==' err)" "end 0
3 0"
else
	skip "a program under valgrind" "no valgrind"
fi

# What cannot be recorded runs as ever, and so does what a recorded program starts of it.
cat >kid.c <<'END'
#include <stdio.h>
int main(int n, char **v) { (void)v; printf("kid %d\n", n); return 6; }
END
kid() {	# WHAT COMPILER WHY NOISE: NOISE is what the loader itself says of a child that it cannot preload into
	$2 kid.c -o kid 2>/dev/null && ./kid >/dev/null 2>&1
	[ $? -eq 6 ] || { skip "$1" "cannot be built here"; return; }
	is "$1: it runs" "$(tau-record -o run ./kid 2>err; echo $?)" "kid 1
6"
	like "$1: and why it is not recorded is reported" "$(cat err)" "^tau-record: [^ ]*kid: $3, so it cannot be recorded; it runs unrecorded\$"
	rm -rf run
	is "$1: started by a recorded program it runs" \
		"$(tau-record -o run --wrap pthread,io,process,memory sh -c './kid x; echo $?' 2>err)" "kid 2
6"
	is "$1: and nothing else is printed" "$(grep -cvE "^tau-record: |$4" err)" 0
	rm -rf run
}
kid "a program of another C library" musl-gcc "is built for a different C library than the recorder" "^\$"
kid "a program of another C library, without loader" "musl-gcc -static" "is statically linked" "^\$"
kid "a 32-bit program" "cc -m32" "is not a 64-bit program" "from LD_PRELOAD cannot be preloaded .*: ignored"
kid "a 32-bit program without loader" "cc -m32 -static" "is not a 64-bit program" "^\$"

# ---- other languages: threads, errors that are caught, a child, and all else that their runtimes do meanwhile ----
unwind=--unwind
cat >work.go <<'END'
package main

// static int twice(int n) { return 2 * n; }
import "C"
import ("fmt"; "os"; "os/exec"; "strings"; "sync")

func work(n int) (s int) {
	for i := 0; i < n; i++ {
		s += len(strings.Repeat("x", i%100)) + int(C.twice(1))
	}
	return
}
func main() {
	var wait sync.WaitGroup
	sum := make([]int, 8)
	for i := range sum {
		wait.Add(1)
		go func(i int) { defer wait.Done(); sum[i] = work(40000 + i) }(i)
	}
	wait.Wait()
	func() {
		defer func() { fmt.Println("caught", recover() != nil) }()
		var p *int
		fmt.Println(*p)
	}()
	out, err := exec.Command("sh", "-c", "echo child; exit 3").Output()
	fmt.Println(sum, string(out), err)
	os.Exit(4)
}
END
sed 's/ + int(C.twice(1))//' work.go | grep -v -e 'static int' -e '"C"' >static.go
export GOCACHE="$T/go" GOFLAGS=-mod=mod GO111MODULE=off
if go build -o work-go work.go 2>cc.err; then
	same "a Go program with C" ./work-go
	shows pthread_create
	CGO_ENABLED=0 go build -o static-go static.go 2>cc.err
	same "a Go program without C" ./static-go
	like "that it cannot be recorded is reported" "$(cat err)" '^tau-record: .*static-go: is statically linked'
else
	skip "Go programs" "no Go compiler is installed"
fi
cat >work.rs <<'END'
use std::{panic, process, thread};
fn work(n: u64) -> u64 { let mut v = vec![]; for i in 0..n { v.push(i.to_string()); } v.iter().map(|s| s.len() as u64).sum() }
fn main() {
	let t: Vec<_> = (0..8).map(|i| thread::spawn(move || work(20000 + i))).collect();
	let s: Vec<u64> = t.into_iter().map(|t| t.join().unwrap()).collect();
	panic::set_hook(Box::new(|_| {}));
	let caught = panic::catch_unwind(|| { let v: Vec<i32> = vec![]; v[s.len()] }).is_err();
	let joined = thread::spawn(|| { if true { panic!() } }).join().is_err();
	let child = process::Command::new("sh").args(["-c", "echo child; exit 3"]).output().unwrap();
	println!("{:?} {} {} {:?}", s, caught, joined, child);
	process::exit(4);
}
END
if rustc -O work.rs -o work-rs 2>cc.err; then
	same "a Rust program" ./work-rs
	shows pthread_create
else
	skip "a Rust program" "no rustc is installed"
fi
cat >Work.java <<'END'
public class Work {
	static int depth;
	static void deep() { depth++; deep(); }
	public static void main(String[] a) throws Exception {
		Thread[] t = new Thread[4];
		long[] sum = new long[4];
		for (int i = 0; i < 4; i++) {
			final int n = i;
			t[i] = new Thread(() -> { for (int k = 0; k < 100000; k++) sum[n] += Integer.toString(k + n).length(); });
			t[i].start();
		}
		for (int i = 0; i < 4; i++) { t[i].join(); System.out.println(sum[i]); }
		try { Object o = null; o.hashCode(); } catch (NullPointerException x) { System.out.println("caught"); }
		try { deep(); } catch (StackOverflowError x) { System.out.println("deep"); }
		System.gc();
		System.out.println(new ProcessBuilder("sh", "-c", "exit 3").start().waitFor());
		System.exit(4);
	}
}
END
if javac -d . Work.java 2>cc.err && java -cp . Work >/dev/null 2>&1; [ $? -eq 4 ]; then
	same "a Java program" java -cp . Work
	shows pthread_create
else
	skip "a Java program" "no Java is installed"
fi
cat >work.js <<'END'
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (!isMainThread) {
	let s = 0;
	for (let i = 0; i < 50000; i++) s += String(i).length;
	parentPort.postMessage(s);
} else {
	let n = 0;
	for (let i = 0; i < 3; i++) new Worker(__filename).on('message', s => {
		console.log(s);
		if (++n < 3) return;
		console.log(require('child_process').spawnSync('sh', ['-c', 'exit 3']).status);
		try { null.x } catch (e) { console.log('caught') }
		process.exit(4);
	});
}
END
if node -e 0 2>/dev/null; then
	same "a program of node's" node work.js
	shows pthread_create
else
	skip "a program of node's" "no node is installed"
fi
cat >work.pl <<'END'
$h{$_ % 1000} .= "x" for 1 .. 50000;
eval { die "caught\n" }; print keys(%h) + 0, " $@";
$| = 1; $pid = fork; if (!$pid) { print "kid\n"; exit 3 } waitpid $pid, 0; print $? >> 8, `echo child`;
$SIG{ALRM} = sub { die "alarm\n" }; eval { require Time::HiRes; Time::HiRes::ualarm(50000); 1 while 1 }; print $@;
exit 4;
END
if perl -e 0 2>/dev/null; then
	same "a Perl program" perl work.pl
	shows 'fork'
else
	skip "a Perl program" "no perl is installed"
fi

# ---- what linkers and loaders can do ----
mkdir lib
echo 'int lib_value(void) { return 40; }' >lib.c
cat >linked.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int lib_value(void);
static int pick(int x) { return x + 1; }
static __attribute__((no_instrument_function)) int (*resolve(void))(int) { return pick; }
int chosen(int) __attribute__((ifunc("resolve")));
int main(void)
{
	void *h = dlopen("libm.so.6", RTLD_NOW), *p = malloc(10);
	free(p);
	printf("%d %d %d\n", lib_value(), chosen(1), h != NULL);
	return 3;
}
END
hooked() { cc -g -O1 -finstrument-functions "$@" 2>cc.err; }
hooked -shared -fPIC lib.c -o lib/libwork.so
here="-Wl,-rpath,$T/lib"
while read -r flags; do
	hooked linked.c -o linked $flags -Llib -lwork && [ "$(./linked)" = "40 2 1" ] || { skip "linked with $flags" "not here"; continue; }
	same "linked with $(echo "$flags" | sed "s|$T||")" ./linked
	is "$what: its functions are known" "$(tau-trace2profile --format csv run | grep -cE 'timer,"?(main|lib_value|pick)[ ,]')" 3
done <<-END
	-Wl,--disable-new-dtags $here
	-Wl,-z,now $here
	-Wl,-z,execstack $here
	-no-pie -fno-pie -Wl,-z,lazy,-z,norelro $here
	-Wl,-Bsymbolic,-z,initfirst,--hash-style=sysv -rdynamic $here
	-Wl,-z,notext -fno-pic -mcmodel=large -pie $here
	-Wl,-z,pack-relative-relocs $here
END
export LD_BIND_NOW=1
same "with LD_BIND_NOW" ./linked
unset LD_BIND_NOW
loader=$(readelf -lW linked | sed -n 's/.*interpreter: \(.*\)]/\1/p')
same "started by its loader by hand" "$loader" --library-path "$T/lib" ./linked
is "$what: its functions are known" "$(tau-trace2profile --format csv run | grep -cE 'timer,"?(main|lib_value|pick)[ ,]')" 3
if hooked -static-pie lib.c linked.c -o staticpie 2>/dev/null; then
	same "static, for any address" ./staticpie
	like "that it cannot be recorded is reported" "$(cat err)" '^tau-record: .*/staticpie: is statically linked'
else
	skip "static, for any address" "no static libc"
fi
unwind=

# The loader splits its list at spaces and colons.
mkdir "a folder" && cp "$B/tau-record" "$B"/libtau*.so "a folder"
is "a recorder in a folder that the loader cannot take runs nothing" "$("a folder/tau-record" ./plain 2>err; echo $?)" 125
like "and reports it" "$(cat err)" 'a folder/libtau.so: the loader cannot preload from a folder with a space or colon in its name; move the tools$'
tap_end
