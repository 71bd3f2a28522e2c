# reloaded.sh: code and names that change during a run, or after it: two libraries one after the other at one address, threads that get
# their names late, a binary that was built anew.
. "$(dirname "$0")/../expect.sh"
cd "$T" || exit 1

for l in alpha betaa; do
	cat >$l.c <<E
#include <stdlib.h>
void *volatile kept_$l;
void $l(int n) { volatile int x = 0; for (int i = 0; i < n; i++) x += i; }
void leave_$l(int n) { for (int i = 0; i < n; i++) kept_$l = malloc(64); }
void burn(int n) { $l(n); }
void leak(int n) { leave_$l(n); }
E
	${CC:-cc} -O1 -g -shared -fPIC $l.c -o lib$l.so || skip_all "no compiler"
done
cat >reload.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static void *at[3];
static void use(const char *library, const char *what, int n, int k)
{
	void *h = dlopen(library, RTLD_NOW);
	void (*work)(int) = (void (*)(int))dlsym(h, what);

	at[k] = (void *)work;
	work(n);
	dlclose(h);
}
int main(int argc, char **argv)
{
	int n = atoi(argv[argc - 1]), more = getenv("MORE") ? atoi(getenv("MORE")) : 0;
	char name[32];

	for (int i = 0; i < more; i++)
		snprintf(name, sizeof(name), "./more/%d.so", i), dlopen(name, RTLD_NOW);
	use("./libalpha.so", argv[1], n, 0);
	use("./libbetaa.so", argv[1], 3 * n, 1);
	use("./libalpha.so", argv[1], n / 10, 2);
	puts(at[0] == at[1] ? "one" : "another");
	return 0;
}
E
${CC:-cc} -O1 reload.c -ldl -o reload
for how in "--sample=1ms" "--sample=1ms --unwind=8"; do
	record reload $how ./reload burn 100000000
	if [ "$(cat reload.out)" = one ]; then
		share=$(tau-report profile reload.run | awk '/ alpha / { a += $2 } / betaa / { b += $2 } END { printf "%d\n", 100 * a / (a + b) }')
		# 1.1 of 4.1; samples of a loaded machine are few
		ok "$how: the share of the first library, $share %, is about 27 %" test "$share" -ge 15 -a "$share" -le 40
		ok "$how: the trace is sound" tau-dump --check reload.run
	else
		skip "$how" "the libraries are at different addresses"
	fi
done
record leaks --memory=leaks ./reload leak 100
if [ "$(cat leaks.out)" = one ]; then
	tau-report leaks leaks.run >leaks.text
	is "leaks: those of the first library" "$(grep -c 'lost .*\[libalpha.so\] .*leave_alpha .* 110 ' leaks.text)" 1
	is "leaks: those of the second" "$(grep -c 'lost .*\[libbetaa.so\] .*leave_betaa .* 300 ' leaks.text)" 1
else
	skip "leaks" "the libraries are at different addresses"
fi
# The same among many other libraries.
mkdir -p more
echo 'int unused;' >more.c && ${CC:-cc} -shared -fPIC more.c -o more.so
i=0
while [ $i -lt 150 ]; do cp more.so more/$i.so; i=$((i + 1)); done
MORE=150 record leaks --memory=leaks ./reload leak 100
if [ "$(cat leaks.out)" = one ]; then
	tau-report leaks leaks.run >leaks.text
	is "leaks among 150 libraries: those of the first library" "$(grep -c 'lost .*\[libalpha.so\] .*leave_alpha .* 110 ' leaks.text)" 1
	is "leaks among 150 libraries: those of the second" "$(grep -c 'lost .*\[libbetaa.so\] .*leave_betaa .* 300 ' leaks.text)" 1
else
	skip "leaks among 150 libraries" "the libraries are at different addresses"
fi

# Two libraries of one name, in two folders, which a program loads one after the other.
mkdir -p a b && cp libalpha.so a/libplug.so && cp libbetaa.so b/libplug.so
sed 's|libalpha|a/libplug|; s|libbetaa|b/libplug|' reload.c >plugs.c && ${CC:-cc} -O1 plugs.c -ldl -o plugs
for how in leaks leaks,stacks; do
	record plugs --memory=$how ./plugs leak 100
	if [ "$(cat plugs.out)" = one ]; then
		tau-report leaks plugs.run >plugs.text
		is "$how, of one name: those of the first library" "$(grep -c 'lost .*\[libplug.so\] .*leave_alpha .* 110 ' plugs.text)" 1
		is "$how, of one name: those of the second" "$(grep -c 'lost .*\[libplug.so\] .*leave_betaa .* 300 ' plugs.text)" 1
		ok "$how, of one name: the trace is sound" tau-dump --check plugs.run
	else
		skip "$how, of one name" "the libraries are at different addresses"
	fi
done

cat >names.c <<'E'
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/prctl.h>
static volatile int x;
static pthread_barrier_t both;
static void leaf(void) { x++; }
static void *itself(void *unused) { leaf(); pthread_setname_np(pthread_self(), "itself"); leaf(); return unused; }
static void *called(void *unused) { leaf(); prctl(PR_SET_NAME, "called"); leaf(); return unused; }
static void *other(void *unused)
{
	leaf();
	pthread_barrier_wait(&both);
	pthread_barrier_wait(&both);
	return unused;
}
static void *stays(void *unused)
{
	leaf();
	pthread_setname_np(pthread_self(), "stays");
	pthread_barrier_wait(&both);
	for (;;)
		pthread_barrier_wait(&both);
	return unused;
}
int main(int renames, char **v)
{
	pthread_t t[4];

	renames--;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&t[0], NULL, itself, NULL);
	pthread_create(&t[1], NULL, called, NULL);
	pthread_create(&t[2], NULL, other, NULL);
	pthread_barrier_wait(&both);
	pthread_setname_np(t[2], "other");
	pthread_barrier_wait(&both);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pthread_create(&t[3], NULL, stays, NULL);
	pthread_barrier_wait(&both);
	if (renames)
		pthread_setname_np(t[3], "at the end");
	return 0;
}
E
${CC:-cc} -O1 -pthread -finstrument-functions names.c -o names
record names -w none ./names
tau-dump --only definitions names.run >names.text 2>/dev/null
for name in itself called other stays; do
	is "a thread named late: $name" "$(grep -c "define THREAD .*name=\"$name\"" names.text)" 1
done
record ended -w none ./names rename
tau-trace2profile -f json -o ended.json ended.run 2>/dev/null
is "a thread that goes on, named by another" "$(grep -o '"Thread Name": *"at the end"' ended.json | wc -l) $(grep -c 'Thread Name: ' ended.json) $(grep -c '"Thread Name": *"stays"' ended.json)" "1 0 0"

for id in sha1 none; do
	printf 'void first(void) {}\nvoid second(void) {}\nint main(void) { first(); return 0; }\n' >built.c
	${CC:-cc} -O0 -finstrument-functions -Wl,--build-id=$id built.c -o built
	touch -d '1 minute ago' built
	record built ./built
	is "build id $id: no note on the binary as it was" "$(tau-report profile built.run 2>&1 | grep -c 'built: ')" 0
	printf 'void second(void) {}\nvoid first(void) {}\nint main(void) { first(); return 0; }\n' >built.c
	${CC:-cc} -O0 -finstrument-functions -Wl,--build-id=$id built.c -o built
	touch -d '1 minute' built
	like "build id $id: a note on the binary built anew" "$(tau-report profile built.run 2>&1)" \
		"built: (is newer than the recording and has no build id|has changed since the recording)"
done
tap_end
