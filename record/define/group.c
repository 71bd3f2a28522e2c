/*
 * group.c: groups of regions, switched on and off while the program runs.
 *
 * The state is a default (on or off) and the names of the groups that differ from it. As with TAU's
 * bit masks a region is on while any of its groups is; a region without groups has the default.
 */
#include "record/define/group.h"
#include "record/api.h"
#include "record/base/calls_up.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/lock.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/thread.h"
#include "record/define/definition_fields.h"
#include "record/define/select.h"

#include <stdlib.h>
#include <string.h>

#define NAMES       64
#define NAME_LENGTH 64

static struct {
	bool all_off;
	char name[NAMES][NAME_LENGTH];
	int n;
} exceptions;

static const struct {
	TauGroup_t bit;
	const char *name;
} group_bits[] = {
	{TAU_MESSAGE, "MPI"},
	{TAU_MESSAGE, "TAU_MESSAGE"},
	{TAU_PETE, "TAU_PETE"},
	{TAU_VIZ, "TAU_VIZ"},
	{TAU_ASSIGN, "TAU_ASSIGN"},
	{TAU_IO, "TAU_IO"},
	{TAU_FIELD, "TAU_FIELD"},
	{TAU_LAYOUT, "TAU_LAYOUT"},
	{TAU_SPARSE, "TAU_SPARSE"},
	{TAU_DOMAINMAP, "TAU_DOMAINMAP"},
	{TAU_UTILITY, "TAU_UTILITY"},
	{TAU_REGION, "TAU_REGION"},
	{TAU_PARTICLE, "TAU_PARTICLE"},
	{TAU_MESHES, "TAU_MESHES"},
	{TAU_SUBFIELD, "TAU_SUBFIELD"},
	{TAU_COMMUNICATION, "TAU_COMMUNICATION"},
	{TAU_FFT, "TAU_FFT"},
	{TAU_USER4, "TAU_USER4"},
	{TAU_USER3, "TAU_USER3"},
	{TAU_USER2, "TAU_USER2"},
	{TAU_USER1, "TAU_USER1"},
	{TAU_USER, "TAU_USER"},
};

/* Groups that the program named with Tau_get_profile_group(), by bit from NAMED_BIT on. */
#define NAMED_BIT 32
static struct {
	char name[NAME_LENGTH];
} named[64 - NAMED_BIT];
static int named_n;

static bool excepted(const char *group, size_t length)
{
	for (int i = 0; i < exceptions.n; i++)
		if (strlen(exceptions.name[i]) == length &&
		    !memcmp(exceptions.name[i], group, length))
			return true;
	return false;
}

static uint64_t get_varint(const uint8_t **p)
{
	uint64_t v = 0;

	for (int shift = 0; shift < 64; shift += 7) {
		uint8_t b = *(*p)++;

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			break;
	}
	return v;
}

static bool any_on(const char *groups, size_t n)
{
	const char *end = groups + n;
	bool on = !exceptions.all_off;

	while (groups < end) {
		size_t length = 0;

		while (groups < end && (*groups == '|' || *groups == ' '))
			groups++;
		while (groups + length < end && groups[length] != '|' && groups[length] != ' ')
			length++;
		if (length) {
			on = excepted(groups, length) == exceptions.all_off;
			if (on)
				return true;
		}
		groups += length;
	}
	return on;
}

static bool call_is_off(const struct definition *d, const struct call_site *c)
{
	if (KEY_IS_REGION(c->called))
		return group_is_off(definition_get(REG_REGION, (uint32_t)c->called));
	return process.functions_off || d->off & CALL_OFF_SELECTED;
}

/* The bytes of a region are: string name, string groups (separated by | and blanks), string file,
 * ... */
bool group_is_off(const struct definition *region)
{
	const uint8_t *p = region->bytes;
	const char *text[3];
	struct call_site call;
	uint64_t n[3];

	if (call_site_get(region, &call))
		return call_is_off(region, &call);

	for (int i = 0; i < 3; i++) {
		n[i] = get_varint(&p);
		text[i] = (const char *)p;
		p += n[i];
	}
	return !any_on(text[1], n[1]) ||
	       select_keeps_out(text[0], n[0], text[2], n[2]);
}

/*
 * Functions with hooks belong to one group. If each frame has its filtered_frame they stay on the call stack, so that they can be
 * recorded when the group is enabled again; otherwise, and if they were disabled from the start, they are excluded.
 */
static void functions_refresh(void)
{
	bool out;

	process.functions_off = !any_on("TAU_USER", 8);
	out = process.functions_off && (!process.filtered || process.functions_out);
	if (out == process.functions_out)
		return;
	process.functions_out = out;
	control_reselect();
}

static void (*changed)(void);	/* of a wrapper */

void tau_on_selection(void (*f)(void))
{
	__atomic_store_n(&changed, f, __ATOMIC_RELEASE);
}

int tau_region_excluded(uint32_t region)
{
	const struct definition *d = definition_get(REG_REGION, region);

	return d && d->off;
}

/* Without the lock. */
static void wrapper_call(void)
{
	void (*f)(void) = __atomic_load_n(&changed, __ATOMIC_ACQUIRE);

	if (f) {
		tau_hide();
		f();
		tau_show();
	}
}

static void refresh(void)
{
	struct registry *r = &process.registry[REG_REGION];

	functions_refresh();
	for (uint32_t id = 1; id <= r->n; id++) {
		struct definition *d = definition_get(REG_REGION, id);

		d->off = (d->off & ~1u) | group_is_off(d);
		if (d->off)
			process.groups_touched = true;
	}
}

void group_refresh(void)
{
	sigset_t saved;

	lock_acquire(&saved);
	refresh();
	lock_release(&saved);
	wrapper_call();
}

static void name_add(const char *group)
{
	size_t n = strlen(group);

	if (n < NAME_LENGTH && exceptions.n < NAMES && !excepted(group, n))
		memcpy(exceptions.name[exceptions.n++], group, n + 1);
}

static void name_remove(const char *group)
{
	for (int i = 0; i < exceptions.n; i++)
		if (!strcmp(exceptions.name[i], group)) {
			exceptions.n--;
			memmove(exceptions.name[i], exceptions.name[exceptions.n], NAME_LENGTH);
			return;
		}
}

/* The calling thread, if the program made the call, follows at once, and not only with its next look. */
static void follow(void)
{
	if (!self.live || self.ready != READY_OPEN)
		return;
	self.ready = READY_BUSY;
	self.sp = sp_of_caller();
	calls_up.reselect();
	self.ready = READY_OPEN;
}

static void set_name(const char *group, bool off)
{
	sigset_t saved;

	lock_acquire(&saved);
	if (off != exceptions.all_off)
		name_add(group);
	else
		name_remove(group);
	process.groups_touched |= off;
	refresh();
	lock_release(&saved);
	wrapper_call();
	follow();
}

static void set_all(bool off)
{
	sigset_t saved;

	lock_acquire(&saved);
	exceptions.all_off = off;
	exceptions.n = 0;
	process.groups_touched |= off;
	refresh();
	lock_release(&saved);
	wrapper_call();
	follow();
}

static TauGroup_t set_bits(TauGroup_t group, bool off)
{
	if (group == TAU_DEFAULT)
		set_all(off);
	else
		for (size_t i = 0; i < sizeof(group_bits) / sizeof(*group_bits); i++)
			if (group & group_bits[i].bit)
				set_name(group_bits[i].name, off);
	for (int i = 0; group != TAU_DEFAULT && i < named_n; i++)
		if (group >> (NAMED_BIT + i) & 1)
			set_name(named[i].name, off);
	return group;
}

/* The lock is held. 0: there are no more bits. */
static TauGroup_t named_bit(const char *group)
{
	int i = 0;

	while (i < named_n && strcmp(named[i].name, group) != 0)
		i++;
	if (i == 64 - NAMED_BIT || strlen(group) >= NAME_LENGTH)
		return 0;
	if (i == named_n) {
		strcpy(named[i].name, group);
		__atomic_store_n(&named_n, i + 1, __ATOMIC_RELEASE);
	}
	return 1ul << (NAMED_BIT + i);
}

TauGroup_t Tau_get_profile_group(const char *group)
{
	sigset_t saved;
	TauGroup_t bit;

	for (size_t i = 0; i < sizeof(group_bits) / sizeof(*group_bits); i++)
		if (!strcmp(group_bits[i].name, group))
			return group_bits[i].bit;
	lock_acquire(&saved);
	bit = named_bit(group);
	lock_release(&saved);
	return bit;
}

const char *group_named(TauGroup_t group)
{
	for (int i = 0; i < __atomic_load_n(&named_n, __ATOMIC_ACQUIRE); i++)
		if (group >> (NAMED_BIT + i) == 1)
			return named[i].name;
	return NULL;
}

/* The words of a list, separated by commas, as groups that are on or off from the start. */
static void parse_list(const char *list, bool off)
{
	char name[NAME_LENGTH];

	while (list && *list) {
		size_t n = 0;

		while (list[n] && list[n] != ',')
			n++;
		if (n && n < NAME_LENGTH) {
			memcpy(name, list, n);
			name[n] = 0;
			set_name(name, off);
		}
		list += n + (list[n] == ',');
	}
}

void group_start(void)
{
	const char *only = getenv("TAU_RECORD_GROUPS");

	if (only)
		set_all(true);
	parse_list(only, false);
	parse_list(getenv("TAU_RECORD_NO_GROUPS"), true);
	process.functions_out = process.functions_off;
	process.picks |= process.functions_out;
}

void Tau_enable_group(TauGroup_t group)
{
	(void)set_bits(group, false);
}

void Tau_disable_group(TauGroup_t group)
{
	(void)set_bits(group, true);
}

TauGroup_t Tau_enable_group_name(const char *group)
{
	set_name(group, false);
	return 0;
}

TauGroup_t Tau_disable_group_name(const char *group)
{
	set_name(group, true);
	return 0;
}

TauGroup_t Tau_enable_all_groups(void)
{
	set_all(false);
	return TAU_DEFAULT;
}

TauGroup_t Tau_disable_all_groups(void)
{
	set_all(true);
	return 0;
}
