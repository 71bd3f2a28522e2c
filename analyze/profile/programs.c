/* programs.c: numbers the executables of the processes of a profile. */
#include "analyze/base/map.h"
#include "analyze/profile/programs.h"

#include <string.h>

#include "record/metadata.h"

size_t programs_make(uint32_t *program, const struct profile *p)
{
	struct names programs = {0};
	struct map nodes = {0};
	size_t n;

	names_add(&programs, "", 0);
	for (uint32_t i = 0; i < p->thread_n; i++) {
		const char *name = p->thread[i].node < 0
					   ? NULL
					   : profile_meta(p, i, TAU_META_EXECUTABLE);

		if (name)
			map_set(&nodes, (uint32_t)p->thread[i].node,
				names_add(&programs, name, strlen(name)));
	}
	for (uint32_t i = 0; i < p->thread_n; i++) {
		program[i] = map_get(&nodes, (uint32_t)p->thread[i].node);
		program[i] = program[i] == MAP_NONE || programs.name_n <= 2 ? 0 : program[i];
	}
	n = programs.name_n <= 2 ? 1 : programs.name_n;
	map_release(&nodes);
	names_release(&programs);
	return n;
}
