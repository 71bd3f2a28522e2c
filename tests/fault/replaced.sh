# replaced.sh: functions of the C library that the program or a preloaded library has replaced are not called by the recorder: neither
# where that library notes each call, nor where it cannot be called any more, nor where it looks for the real function itself.
. "$(dirname "$0")/../tap.sh"
unset LD_PRELOAD
[ "$(uname -m)" = x86_64 ] || skip_all "the functions that take the calls are written for x86-64"

# ---- each call is noted ----

# What the recorder calls or could call. What it does not have of its own is in record/libc.list, where the last test of this part looks.
names="access aio_error clock_gettime clock_nanosleep close close_range dl_iterate_phdr dladdr dlclose dlerror dlinfo dlopen dlsym dup dup2
	eventfd fcntl fdatasync ferror_unlocked fileno fopen fputs fread fstat fstatat fsync ftruncate fwrite getauxval getcwd getegid getenv
	geteuid getgid getpid getppid getrandom getrlimit getrusage gettid gettimeofday getuid index ioctl kill lseek lstat madvise
	memchr memcmp memcpy memmem memmove memrchr memset mprotect mremap munmap mmap nanosleep open open64 openat openat64 perror
	pipe poll prctl pread pread64 process_vm_readv pthread_attr_destroy pthread_attr_init pthread_atfork pthread_cond_signal
	pthread_cond_wait pthread_create pthread_detach pthread_getattr_np pthread_getspecific pthread_join pthread_key_create
	pthread_key_delete pthread_mutex_lock pthread_mutex_unlock pthread_once pthread_self pthread_setname_np pthread_setspecific
	pthread_sigmask pthread_timedjoin_np puts pwrite qsort raise read readdir readlink readlinkat readv rename rindex
	sched_getaffinity sched_getcpu sched_yield secure_getenv sigaction __sigaction sigaddset sigaltstack sigdelset sigemptyset sigfillset
	sigismember sigprocmask sigtimedwait sleep snprintf sprintf stat statfs strcasecmp strcat strchr strcmp strcpy strcspn strdup
	strerror strerrordesc_np strlen strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr strtod strtok
	strtol strtoll strtoul strtoull syscall sysconf time timer_create timer_delete timer_settime tgkill uname unlink usleep vsnprintf
	write writev __register_atfork __cxa_atexit __cxa_at_quick_exit __snprintf_chk __vsnprintf_chk __memcpy_chk __strcpy_chk __read_chk
	__sched_cpucount malloc calloc realloc free memalign aligned_alloc posix_memalign malloc_usable_size"
{
	cat <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/syscall.h>

static long raw(long n, long a, long b, long c)
{
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return r;
}

static const char *const names[] = {
END
	for f in $names; do echo "\"$f\","; done
	cat <<'END'
};
static void *real[sizeof(names) / sizeof(*names)];
static void *noted[sizeof(names) / sizeof(*names)];

static int has(const char *text, const char *word)
{
	for (; *text; text++) {
		size_t i = 0;

		while (word[i] && text[i] == word[i])
			i++;
		if (!word[i])
			return 1;
	}
	return 0;
}

/* "libtau-io.so write" */
static void note(const char *library, int i)
{
	char line[4096];
	long n = 0, fd;

	for (const char *c = library; *c && n < 4000; c++)
		n = *c == '/' ? 0 : (line[n] = *c, n + 1);
	line[n++] = ' ';
	for (const char *c = names[i]; *c; c++)
		line[n++] = *c;
	line[n++] = '\n';
	fd = raw(SYS_open, (long)"noted", O_WRONLY | O_APPEND | O_CREAT, 0644);
	raw(SYS_write, fd, (long)line, n);
	raw(SYS_close, fd, 0, 0);
}

__attribute__((used)) void *take(int i, void *back)
{
	static void *(*look)(void *, const char *);
	struct dl_find_object o;

	if (!look)
		look = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	if (_dl_find_object(back, &o) == 0 && has(o.dlfo_link_map->l_name, "/libtau") &&
	    noted[i] != o.dlfo_link_map) {
		noted[i] = o.dlfo_link_map;
		note(o.dlfo_link_map->l_name, i);
	}
	if (!real[i])
		real[i] = look(RTLD_NEXT, names[i]);
	return real[i];
}

/* Now, because a dlsym() of ours later would take away the program's text for dlerror(); free(), which frees such a text, first. */
__attribute__((constructor)) static void begin(void)
{
	for (size_t i = sizeof(names) / sizeof(*names); i-- > 0;)
		take(i, &begin);
}

#define TAKE(name, number)                                                                                  \
	__asm__(".globl " name "\n.type " name ", @function\n" name ":\n"                                   \
		"pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\npushq %rax\n"        \
		"movl $" number ", %edi\nmovq 56(%rsp), %rsi\ncall take\nmovq %rax, %r11\n"                 \
		"popq %rax\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\njmp *%r11\n")
END
	i=0
	for f in $names; do
		echo "TAKE(\"$f\", \"$i\");"
		i=$((i + 1))
	done
} >"$T/taken.c"
cat >"$T/libtau-control.c" <<'END'
#include <stdlib.h>
__attribute__((constructor)) static void begin(void) { (void)!getenv("CONTROL"); }
END
cat >"$T/program.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int leaf(int x) { return x + 1; }

static void *work(void *argument)
{
	char *p = malloc(1000);
	int s = 0;

	for (int i = 0; i < 300000; i++)
		s = leaf(s);
	p = realloc(p, 100000);
	memset(p, s, 100000);
	free(p);
	return argument;
}

int main(int argc, char **argv)
{
	int status = -1, fd = open("data", O_RDWR | O_CREAT, 0644);
	static jmp_buf back;
	pthread_t t[3];
	FILE *f = fopen("data2", "w");
	pid_t child;

	if (argc > 1)
		return 7;
	fprintf(f, "text");
	fclose(f);
	(void)!write(fd, "data", 4);
	close(fd);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, malloc(100));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	if (!setjmp(back))
		longjmp(back, 1);
	dlclose(dlopen("libm.so.6", RTLD_NOW));
	dlopen("nowhere.so", RTLD_NOW);
	child = fork();
	if (!child) {
		leaf(1);
		execl(argv[0], argv[0], "again", (char *)NULL);
	}
	waitpid(child, &status, 0);
	printf("%d %d %s\n", errno, WEXITSTATUS(status), strstr(dlerror(), "nowhere") ? "text" : "no text");
	return 5;
}
END
gcc -O1 -shared -fPIC -fno-builtin -w "$T/taken.c" -o "$T/taken.so" &&
	gcc -O1 -shared -fPIC -fno-builtin "$T/libtau-control.c" -o "$T/libtau-control.so" &&
	gcc -O1 -finstrument-functions "$T/program.c" -o "$T/program" && gcc -O1 "$T/program.c" -o "$T/plain"
ok "the library that takes the calls, and the programs, are built" test -x "$T/plain" -a -e "$T/taken.so"
mkdir "$T/here"
cd "$T/here" || exit 1
is "it notes what a library of that name calls" "$(LD_PRELOAD="$T/libtau-control.so $T/taken.so" ../program; sort -u noted | tr '\n' ' ')" \
	"2 7 text
libtau-control.so getenv "
# A library passes on the calls of the functions that it has itself.
for l in "$B"/libtau.so "$B"/libtau-*.so; do
	nm -D --defined-only "$l" | sed "s/.* /${l##*/} /; s/@.*//"
done >"$T/passed"
for mode in "" --memory --memory=leaks --sample --system "--memory-every 0.01" "-w io,pthread,process" "--max-size 100K" "--patch leaf" \
	"--memory --sample --system -w io,pthread,process" --call-sites "--metrics CPU_TIME" "--fold 1" "--flight 1s" --snapshot-every=0.01; do
	rm -rf noted run
	# shellcheck disable=SC2086
	got=$(LD_PRELOAD=$T/taken.so timeout 60 tau-record $mode -o run ../program 2>"$T/said"; echo "status $?")
	is "the program works as before: ${mode:-defaults}" "$got" "2 7 text
status 5"
	is "none is called: ${mode:-defaults}" "$(sort -u noted 2>/dev/null | grep -vxFf "$T/passed")" ""
done
cd "$T" || exit 1

# ---- the program or a preloaded library looks for the real function itself ----

# Each idiom of tracers of allocations: name, then how the real function is found.
cat >"$T/own.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *__libc_malloc(size_t), __libc_free(void *), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static void *(*real_malloc)(size_t), (*real_free)(void *), *(*real_realloc)(void *, size_t);
static long n;
static char early[65536];
static size_t used;
#if IDIOM == 1 || IDIOM == 2	/* at the first call: each function for itself */
#define FIND(f, name) if (!(f)) *(void **)&(f) = LOOK(name)
#elif IDIOM == 3		/* in the constructor; until then the C library's by its other name */
#define FIND(f, name)
__attribute__((constructor)) static void begin(void)
{
	*(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
	*(void **)&real_free = dlsym(RTLD_NEXT, "free");
	*(void **)&real_realloc = dlsym(RTLD_NEXT, "realloc");
}
#else				/* never */
#define FIND(f, name)
#endif
#if IDIOM == 2
#define LOOK(name) dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5")
#else
#define LOOK(name) dlsym(RTLD_NEXT, name)
#endif
void free(void *p)
{
	if ((char *)p >= early && (char *)p < early + sizeof(early))
		return;
	FIND(real_free, "free");
	n++;
	if (real_free)
		real_free(p);
	else
		__libc_free(p);
}
#if IDIOM >= 3
void *malloc(size_t size)
{
	n++;
	return real_malloc ? real_malloc(size) : __libc_malloc(size);
}
void *realloc(void *p, size_t size)
{
	n++;
	return real_realloc ? real_realloc(p, size) : __libc_realloc(p, size);
}
#elif !defined(ONLY_FREE)
void *calloc(size_t k, size_t size)
{
	static void *(*real_calloc)(size_t, size_t);
	static int inside;

	if (!real_calloc && inside) {
		used += (k * size + 15) & ~15ul;
		return early + used - ((k * size + 15) & ~15ul);
	}
	inside = 1;
	FIND(real_calloc, "calloc");
	inside = 0;
	n++;
	return real_calloc(k, size);
}
#endif
#ifdef PROGRAM
int main(void)
{
	free(malloc(10));
	free(calloc(10, 10));
	printf("%d\n", n > 0);
	return 0;
}
#endif
END
echo '#include <stdio.h>
#include <stdlib.h>
int main(void) { free(malloc(10)); free(calloc(10, 10)); puts("1"); return 0; }' >"$T/allocates.c"
gcc -O1 "$T/allocates.c" -o "$T/allocates"
for idiom in "1 -DONLY_FREE" 1 2 3 4; do
	# shellcheck disable=SC2086
	gcc -O1 -w -fno-builtin -DPROGRAM -DIDIOM=$idiom own.c -o own-program &&
		gcc -O1 -w -fno-builtin -shared -fPIC -DIDIOM=$idiom own.c -o own.so
	for mode in "" --memory "--memory=leaks --sample" "--system -w io,pthread,process"; do
		# shellcheck disable=SC2086
		is "a program with its own free(), idiom $idiom: ${mode:-defaults}" \
			"$(timeout 20 tau-record $mode -o run ./own-program 2>/dev/null; echo $?)" "1
0"
		rm -rf run
		# shellcheck disable=SC2086
		is "a preloaded one: ${mode:-defaults}" \
			"$(LD_PRELOAD="$T/own.so" timeout 20 tau-record $mode -o run ./allocates 2>/dev/null; echo $?)" "1
0"
		rm -rf run
	done
done

# ---- a preloaded library cannot be called any more when it has ended ----

cat >"$T/gone.c" <<'END'
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static int begun = 1, *state = &begun;
static void *keep;
__attribute__((constructor)) static void begin(void) { keep = malloc(100); }
__attribute__((destructor)) static void end(void) { free(keep); state = NULL; }
#define GONE(type, name, parameters, ...) type name parameters { ++*state; return (type)syscall(SYS_##name, __VA_ARGS__); }
GONE(int, fstat, (int fd, struct stat *s), fd, s)
GONE(int, stat, (const char *path, struct stat *s), path, s)
GONE(int, lstat, (const char *path, struct stat *s), path, s)
GONE(int, close, (int fd), fd)
GONE(ssize_t, read, (int fd, void *p, size_t n), fd, p, n)
GONE(off_t, lseek, (int fd, off_t at, int how), fd, at, how)
GONE(void *, mmap, (void *at, size_t n, int may, int flags, int fd, off_t o), at, n, may, flags, fd, o)
GONE(int, munmap, (void *p, size_t n), p, n)
GONE(int, clock_gettime, (clockid_t c, struct timespec *t), c, t)
GONE(pid_t, getpid, (void), 0)
GONE(int, uname, (void *u), u)
GONE(ssize_t, readlink, (const char *p, char *to, size_t n), p, to, n)
int open(const char *path, int flags, ...) { ++*state; return (int)syscall(SYS_open, path, flags, 0600); }
char *getenv(const char *name) { ++*state; return secure_getenv(name); }
size_t strlen(const char *s) { size_t n = 0; ++*state; while (s[n]) n++; return n; }
END
gcc -O1 -w -fno-builtin -shared -fPIC gone.c -o gone.so
gcc -O1 -finstrument-functions "$T/allocates.c" -o "$T/hooked"
for mode in "" --memory --memory=leaks --sample --system "--memory-every 0.01" "--metrics CPU_TIME"; do
	# shellcheck disable=SC2086
	is "a preloaded library that has ended: ${mode:-defaults}" \
		"$(LD_PRELOAD="$T/gone.so" timeout 20 tau-record $mode -o run ./hooked 2>/dev/null; echo $?)" "1
0"
	rm -rf run
done

# ---- clocks that stop, or run ten times as fast, as libfaketime makes them ----

cat >"$T/clocks.c" <<'END'
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t c, struct timespec *t)
{
	long rate = RATE;
	long long ns;

	syscall(SYS_clock_gettime, c, t);
	ns = (t->tv_sec * 1000000000LL + t->tv_nsec) * rate;
	t->tv_sec = ns / 1000000000 + 1;
	t->tv_nsec = ns % 1000000000;
	return 0;
}
END
cat >"$T/nap.c" <<'END'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) void nap(void) { struct timespec t = {0, 300000000}; syscall(SYS_nanosleep, &t, 0); }
int main(void) { nap(); return 0; }
END
gcc -O1 -w -DRATE=0 -shared -fPIC clocks.c -o still.so
gcc -O1 -w -DRATE=10 -shared -fPIC clocks.c -o fast.so
gcc -O1 -finstrument-functions "$T/nap.c" -o "$T/nap"
for clock in still fast; do
	for mode in "" --memory --sample --system; do
		# shellcheck disable=SC2086
		is "clock that is $clock: ${mode:-defaults}" "$(LD_PRELOAD="$T/$clock.so" timeout 20 tau-record $mode -o run ./nap 2>/dev/null; echo $?)" 0
		is "the time is right" "$(tau-trace2profile -f csv run 2>/dev/null | tr -d '"' |
			awk -F , '$6 ~ /^nap/ { ms = $11 / 1000; print (ms >= 300 && ms < 400 ? "right" : ms) }')" right
		rm -rf run
	done
done

# ---- the program has functions of these names of its own ----

cat >"$T/names.c" <<'END'
int printf(const char *, ...);
#define OWN(name) int name(void) { printf("%s\n", #name); return -1; }
OWN(read) OWN(open) OWN(close) OWN(mmap) OWN(munmap) OWN(fstat) OWN(stat) OWN(index) OWN(rindex) OWN(time) OWN(clock_gettime)
OWN(getpid) OWN(getppid) OWN(gettid) OWN(uname) OWN(readlink) OWN(access) OWN(ioctl) OWN(dlsym) OWN(dlopen) OWN(dladdr) OWN(strstr)
OWN(getauxval) OWN(snprintf) OWN(vsnprintf) OWN(strtoul) OWN(madvise) OWN(syscall) OWN(prctl) OWN(sysconf) OWN(sched_yield) OWN(pipe)
OWN(sigaction) OWN(pthread_setspecific) OWN(pthread_key_create) OWN(dl_iterate_phdr) OWN(kernel) OWN(system_call) OWN(own_next)
__attribute__((noinline)) int leaf(int x) { return x + 1; }
int main(void) { return leaf(2); }
END
gcc -O1 -w -fno-builtin -finstrument-functions names.c -o names
for mode in "" --memory --memory=leaks --system "--metrics CPU_TIME" "--max-size 100K"; do
	# shellcheck disable=SC2086
	is "a program with functions of these names: ${mode:-defaults}" "$(timeout 20 tau-record $mode -o run ./names 2>/dev/null; echo $?)" 3
	is "which is recorded" "$(tau-report profile -f csv run 2>/dev/null | grep -c '[,"]leaf')" 1
	rm -rf run
done
tap_end
