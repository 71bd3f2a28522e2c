# wrapper-sites.sh: where stacks were recorded, blocks that wrappers of allocators ask for have the wrapper's caller as their call site.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
cat >main.cc <<'END'
#include <stdlib.h>
#include <string.h>
#define ALONE __attribute__((noinline, noclone))
#define KEPT __asm__ volatile("")
void *volatile keep;
extern "C" {
ALONE void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
ALONE void *pool_malloc0(size_t n) { void *p = xmalloc(n); memset(p, 0, n); return p; }
ALONE char *my_strdup(const char *s) { char *p = (char *)xmalloc(strlen(s) + 1); strcpy(p, s); return p; }
ALONE void make_table(void) { keep = pool_malloc0(800); KEPT; }
ALONE void make_name(void) { keep = my_strdup("a name of twenty-nine letters"); KEPT; }
ALONE void make_object(void) { keep = new long[50]; KEPT; }
ALONE void make_plain(void) { keep = malloc(60); KEPT; }
}
int main() { make_table(); make_name(); make_object(); make_plain(); return 0; }
END
c++ -O1 -g -fno-optimize-sibling-calls -o main main.cc || exit 1
tau-record --memory=stacks -o run ./main 2>err || fail "cannot record: $(cat err)"
is "the caller of each wrapper is the site" \
	"$(tau-report memory --by site -f csv run | tr -d '\r' | sed -n 's/.*[,"]\([a-z_]*\)\(()\)* \[{.*main.cc} {[0-9]*}\]"*,untyped,\([0-9]*\),.*/\1 \3/p' | sort)" \
"make_name 30
make_object 400
make_plain 60
make_table 800"
like "and the whole path is kept" "$(tau-report memory --by stack -f folded run)" 'make_table;pool_malloc0;xmalloc;untyped \[main\] 800$'
tap_end
