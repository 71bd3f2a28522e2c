/* native_lives.c: the file with the live chunks of the threads of a process: its name, its places, and damaged heads. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "convert/native/live/native_lives.h"
#include "files.h"
#include "tap.h"

static char path[] = "/tmp/tau-native-lives.XXXXXX";
enum { HEAD = sizeof(struct tau_lives_header), SIZE = sizeof(struct tau_live_header) + 100 };

static int find(uint32_t stream, struct native_place *place)
{
	int fd = open(path, O_RDONLY), found = native_lives_find(fd, stream, place);

	close(fd);
	return found;
}

int main(void)
{
	struct tau_lives_header head = {.magic = TAU_LIVES_MAGIC, .major = TAU_VERSION_MAJOR,
					.header_size = HEAD, .place_size = SIZE};
	unsigned char file[HEAD + 3 * SIZE] = {0};
	struct native_place place = {0};
	char *name = native_lives_name("run/host.7.0.12.tau");
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	ok(name && !strcmp(name, "run/host.7.0.threads.live"), "the name of the file");
	free(name);
	ok(native_lives_stream("run/host.7.0.12.tau") == 12, "the number of a stream");
	ok(!native_lives_name("run/host.7.0.12.live") && !native_lives_name("12.tau") && !native_lives_stream("host.tau"),
	   "other names have neither");

	memcpy(file, &head, HEAD);
	file[HEAD + SIZE] = 'T';
	file_put(path, file, sizeof(file));
	ok(native_lives_places(fd, &head) == 3, "three places");
	ok(find(2, &place) == 0 && place.at == HEAD + SIZE && place.size == SIZE, "the second one has a chunk");
	ok(find(1, &place) == -1, "the first one has none");
	ok(find(4, &place) == -1 && find(0, &place) == -1, "there is no fourth one, and none of stream 0");
	file[0] = 'X';
	file_put(path, file, sizeof(file));
	ok(find(2, &place) == 1, "a damaged head is distinguished from a stream without a chunk");
	head.place_size = 1;
	memcpy(file, &head, HEAD);
	file_put(path, file, sizeof(file));
	ok(find(2, &place) == 1, "places that are too small are a damaged head");
	file_put(path, file, 0);
	ok(find(2, &place) == -1, "an empty file has no chunk");
	close(fd);
	unlink(path);
	return tap_end();
}
