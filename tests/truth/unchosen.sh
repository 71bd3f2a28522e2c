# unchosen.sh: a wrapper that is not chosen costs the program no instruction: what its functions do is as long as without the recorder, by
# callgrind's counts, also with all other wrappers. Its own wrapper does cost some, so the counts see it.
. "$(dirname "$0")/../tap.sh"
command -v valgrind >/dev/null || skip_all "valgrind is not here"
cd "$T" || exit 1

# ROUNDS PART: the part's functions, so often.
cat >parts.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void memory_part(void)
{
	/* Of sizes that are served alike whatever else is in the heap. */
	char *volatile p = malloc(100);

	p = realloc(p, 104);
	free(p);
}
static void io_part(void)
{
	char byte = 0;
	int fd = open("file", O_RDWR);

	if (write(fd, &byte, 1) + pread(fd, &byte, 1, 0) != 2)
		abort();
	close(fd);
}
static void pthread_part(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&lock);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}
static void null_part(void)
{
	(void)getppid();
}
int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*part)(void);
	} parts[] = {{"memory", memory_part}, {"io", io_part}, {"pthread", pthread_part}, {"null", null_part}};

	for (int p = 0, n = argc == 3 ? atoi(argv[1]) : 0; p < 4; p++)
		for (int i = 0; i < n && !strcmp(argv[2], parts[p].name); i++)
			parts[p].part();
	return 0;
}
END
${CC:-cc} -O1 parts.c -o parts -lpthread || skip_all "no compiler"
: >file

# count ROUNDS PART [WRAPPERS]: instructions of main(), or with $of empty of the whole process; without a wrapper's name without the
# recorder
count() {
	n=$1 part=$2; shift 2
	rm -rf run
	set -- ${1:+tau-record -o run -w "$1"} valgrind --tool=callgrind $of --callgrind-out-file=/dev/null ./parts "$n" "$part"
	"$@" 2>&1 </dev/null | sed -n 's/.*Collected : *//p'
}
of=--toggle-collect=main
rounds=1000
# cost PART [WRAPPERS]: of $rounds rounds. The first calls, which look for their functions, are in both counts.
cost() { echo $(($(count $((rounds + 100)) "$@") - $(count 100 "$@"))); }

for part in memory io pthread null; do
	plain=$(cost $part) others=$(echo ",memory,io,pthread,process,nvtx,openacc,roctx,null" | sed "s/,$part//; s/^,//")
	ok "$part: 1,000 rounds take instructions ($plain)" [ "$plain" -gt 20000 ]
	is "$part: as many with -w none" "$(cost $part none)" "$plain"
	is "$part: as many with -w $others" "$(cost $part "$others")" "$plain"
	# Of the whole process: its start and end differ by up to 50,000 instructions from run to run.
	own=$(of= rounds=10000; cost $part $part)
	ok "$part: more with its own wrapper ($own in 10,000)" [ "$own" -gt $((10 * plain + 50000)) ]
done
tap_end
