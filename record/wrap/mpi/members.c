/* members.c: asks MPI for the members of groups. */
#include "members.h"
#include "pool.h"
#include "spawn_ranks.h"

void members_translate(MPI_Group group, int n, int *world)
{
	int *ranks = pool_get((size_t)n * sizeof(int));
	MPI_Group all = 0;
	int i;

	for (i = 0; i < n; i++)
		world[i] = -1;
	if (!ranks)
		return;
	for (i = 0; i < n; i++)
		ranks[i] = i;
	if (real_MPI_Comm_group(MPI_COMM_WORLD, &all) == MPI_SUCCESS) {
		real_MPI_Group_translate_ranks(group, n, ranks, all, world);
		real_MPI_Group_free(&all);
		for (i = 0; i < n; i++)
			if (world[i] < 0)
				world[i] = -1;
			else
				world[i] += spawn_base();
	}
	pool_put(ranks, (size_t)n * sizeof(int));
}

static uint64_t ranks_number(const int *world, int n)
{
	uint64_t h = members_mix(0, (uint64_t)n);
	int i;

	for (i = 0; i < n; i++)
		h = members_mix(h, (uint64_t)(uint32_t)(world ? world[i] : i));
	return h;
}

/* Of the world of the launcher, whose ranks need no translation, and of groups. */
static uint64_t group_number(MPI_Group group)
{
	uint64_t number = 0;
	int n, *world;

	if (real_MPI_Group_size(group, &n))
		return 0;
	world = pool_get((size_t)n * sizeof(int));
	if (world) {
		members_translate(group, n, world);
		number = ranks_number(world, n);
	}
	pool_put(world, (size_t)n * sizeof(int));
	return number;
}

static uint64_t remote_number(MPI_Comm comm)
{
	uint64_t number = 0;
	MPI_Group group;

	if (real_MPI_Comm_remote_group(comm, &group) == MPI_SUCCESS) {
		number = group_number(group);
		real_MPI_Group_free(&group);
	}
	return number;
}

uint64_t members_number(MPI_Comm comm)
{
	uint64_t local, remote;
	MPI_Group group;
	int inter, n;

	if (comm == MPI_COMM_WORLD && !spawn_base())
		return real_MPI_Comm_size(comm, &n) ? 0 : ranks_number(NULL, n);
	if (real_MPI_Comm_test_inter(comm, &inter) || real_MPI_Comm_group(comm, &group))
		return 0;
	local = group_number(group);
	real_MPI_Group_free(&group);
	if (!inter || !local)
		return local;
	remote = remote_number(comm);
	if (!remote)
		return 0;
	return local < remote ? members_mix(local, remote) : members_mix(remote, local);
}
