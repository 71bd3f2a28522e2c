# static-sites.sh: call sites in static functions of a stripped library are named by what uses the function, not by an address only.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
[ "$(uname -m)" = x86_64 ] || { echo "1..0 # SKIP code of another machine is not read"; exit 0; }
cat >lib.c <<'END'
#include <stdlib.h>
#define ALONE static __attribute__((noinline, noclone))
void *volatile keep;
ALONE void one(void) { keep = malloc(1001); }
ALONE void deep(void) { keep = malloc(1002); __asm__ volatile(""); }
ALONE void middle(void) { deep(); __asm__ volatile(""); }
ALONE void listed(void) { keep = malloc(1003); }
ALONE void hidden(void) { keep = malloc(1004); }
ALONE void passed(void) { keep = malloc(1005); }
ALONE __attribute__((constructor)) void begin(void) { keep = malloc(1006); }
struct { long n; void (*call)(void); } table_of_calls = {1, listed};
static struct { long n; void (*volatile call)(void); } table_hidden = {1, hidden};
__attribute__((noinline)) void apply(void (*call)(void)) { call(); __asm__ volatile(""); }
void make_all(void) { one(); middle(); table_of_calls.call(); table_hidden.call(); apply(passed); keep = malloc(1007); }
END
cat >main.c <<'END'
#include <dlfcn.h>
int main(void) { ((void (*)(void))dlsym(dlopen("./libmake.so", RTLD_NOW), "make_all"))(); return 0; }
END
cc -O1 -fno-builtin -fno-optimize-sibling-calls -shared -fPIC -o libmake.so lib.c && strip -s libmake.so && cc -o main main.c || exit 1
tau-record --memory=sites -o run ./main 2>err || fail "cannot record: $(cat err)"
tau-report memory --by site -w : --view cumulative -f csv run | tr -d '\r' | sed -n 's/.*static function at 0x[0-9a-f]*, \([a-z ]* [A-Za-z_]*\) \[.*libmake\.so\].*/\1/p; s/.*[,"]\(make_all\) \[.*libmake\.so\].*/\1/p' | sort >names
is "each is named by what uses it" "$(cat names)" "below make_all
called by make_all
in a variable without a name
in table_of_calls
in the table of constructors
make_all
used by make_all"
is "and none by an address only" "$(tau-report memory --by site -w : --view cumulative -f csv run | grep libmake.so | grep -c 'addr=')" 0
# Only what prints a site looks for the users of its function: that reads all code of a library.
looks() {
	valgrind --tool=callgrind --callgrind-out-file=cg tau-report "$@" >/dev/null 2>&1
	grep -q callers_new cg && echo yes || echo no
}
if command -v valgrind >/dev/null && ! ldd "$B/tau-report" | grep -q 'lib[atu]*san'; then
	tau-record --no-names --memory=sites -o nameless ./main 2>err
	is "memory looks at the code" "$(looks memory --by site -w : nameless)" yes
	is "profile does not" "$(looks profile nameless)" no
	is "events are read without it" "$(looks io nameless)" no
	is "names that are stored need no look" "$(looks memory --by site -w : run)" no
else
	skip "memory looks at the code, profile does not" "valgrind is not here, or cannot run this build"
fi
tau-convert run copy.run 2>err
is "a copy of the run has the same names" "$(tau-report memory --by site -w : --view cumulative -f csv copy.run | grep -c 'libmake.so')" \
	"$(tau-report memory --by site -w : --view cumulative -f csv run | grep -c 'libmake.so')"
tap_end
