/*
 * callers.c: who calls a function of MPI, by the address that the call returns to: the program, a
 * binding for Fortran, a layer of the user's, or MPI itself.
 */
#include "callers.h"
#include "abi.h"
#include "layer.h"
#include "pool.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "own/own.h"

enum { SITES = 4096 }; /* power of two; the binding has about 400 calls */

/* Return addresses and what they were found to be. An address is written last. */
struct caller_site {
	uintptr_t address;
	bool entry; /* in the entry point of a binding, or of a layer, for the function that is called there */
	bool mpi;   /* in MPI, which calls the function itself */
};
static struct caller_site sites[SITES];
static uint32_t sites_lock;

static bool is_part_of_mpi(const char *path)
{
	const char *base = strrchr(path, '/');

	return abi_is_file(base ? base + 1 : path);
}

/* ---- the code of a call ---- */

/*
 * target_of: the function that the call before `back` names; NULL: none. is_by_pointer: does the call go through a pointer? The
 * functions of another object are called through its procedure linkage table, whose entries are in the caller's object.
 */
#if defined(__x86_64__)
static const void *target_of(const uint8_t *back)
{
	int32_t distance;

	memcpy(&distance, back - 4, sizeof(distance));
	return back[-5] == 0xe8 ? back + distance : NULL;
}

static bool is_by_pointer(const uint8_t *back, const Dl_info *in)
{
	static const struct {
		int8_t length;
		uint8_t mask, mode;
	} forms[] = {{2, 0xf8, 0xd0}, {2, 0xf8, 0x10}, {3, 0xf8, 0x50}, {3, 0xff, 0x14},
		     {4, 0xff, 0x54}, {6, 0xf8, 0x90}, {7, 0xff, 0x94}};
	const void *target = target_of(back);
	Dl_info to;

	if (target && dladdr(target, &to) && to.dli_fbase == in->dli_fbase)
		return false;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (back[-forms[i].length] == 0xff &&
		    (back[1 - forms[i].length] & forms[i].mask) == forms[i].mode)
			return true;
	return false;
}
#elif defined(__aarch64__)
static const void *target_of(const uint8_t *back)
{
	uint32_t bl;

	memcpy(&bl, back - sizeof(bl), sizeof(bl));
	return bl >> 26 == 0x25 ? back - sizeof(bl) + (int32_t)(bl << 6) / 16 : NULL;
}

static bool is_by_pointer(const uint8_t *back, const Dl_info *in)
{
	uint32_t blr;

	(void)in;
	memcpy(&blr, back - sizeof(blr), sizeof(blr));
	return (blr & 0xfffffc1f) == 0xd63f0000;
}
#else
static const void *target_of(const uint8_t *back)
{
	(void)back;
	return NULL;
}

static bool is_by_pointer(const uint8_t *back, const Dl_info *in)
{
	(void)back;
	(void)in;
	return false;
}
#endif

/* Has the object of that address a procedure linkage table? Without it, calls of other objects go through pointers, too. */
static bool has_table(const void *address)
{
	const ElfW(Dyn) *d = NULL;
	struct tau_object o;

	if (tau_object((uintptr_t)address, &o) != 1)
		return false;
	for (uint32_t i = 0; i < o.header_n; i++) {
		const ElfW(Phdr) *h = (const ElfW(Phdr) *)o.headers + i;

		if (h->p_type == PT_DYNAMIC)
			d = (const void *)(o.base + h->p_vaddr);
	}
	for (; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_JMPREL)
			return true;
	return false;
}

/*
 * A function of the program may go on to ours by a jump, as its last action: then the call returns to its caller. In MPI that is a
 * call by a pointer, and where a layer is in the program's own file it is the call of the layer.
 */
static void look(const struct wrap_function *f, const uint8_t *address, struct caller_site *out)
{
	const void *target = target_of(address);
	bool own = false;
	Dl_info in, other;

	if (!dladdr(address, &in) || !in.dli_fname)
		return;
	if (dladdr(wrap_real(&wrap_table[WRAP_MPI_Get_version]), &other))
		own = other.dli_fbase == in.dli_fbase;
	if (own)
		out->mpi = !is_by_pointer(address, &in) || !has_table(address);
	else
		out->mpi = is_part_of_mpi(in.dli_fname);
	if (own || !dladdr(sites, &other) || other.dli_fbase == in.dli_fbase)
		return;
	out->entry = abi_is_entry(&in, f->symbol) ||
		     (target && dladdr(target, &other) && other.dli_saddr == target &&
		      abi_is_entry(&other, f->symbol));
}

/* ---- callers ---- */

static struct caller_site who_calls(const struct wrap_function *f, const void *address)
{
	uintptr_t a = (uintptr_t)address;
	unsigned at = (unsigned)(a * 0x9e3779b97f4a7c15u >> 52);
	struct caller_site out = {.address = a};
	unsigned probe;

	for (probe = 0; probe < SITES; probe++) {
		const struct caller_site *s = &sites[(at + probe) & (SITES - 1)];
		uintptr_t here = __atomic_load_n(&s->address, __ATOMIC_ACQUIRE);

		if (here == a)
			return *s;
		if (!here)
			break;
	}
	tau_hide();
	look(f, address, &out);
	tau_show();
	spin_lock(&sites_lock);
	for (; probe < SITES / 2; probe++) {
		struct caller_site *s = &sites[(at + probe) & (SITES - 1)];

		if (s->address)
			continue;
		s->entry = out.entry;
		s->mpi = out.mpi;
		__atomic_store_n(&s->address, a, __ATOMIC_RELEASE);
		break;
	}
	spin_unlock(&sites_lock);
	return out;
}

bool mpi_from_entry(const struct wrap_function *f, const void *address)
{
	return tau_active() && mpi_usable() && who_calls(f, address).entry && !layer_owns(f);
}

bool mpi_from_program(const struct wrap_function *f, const struct wrap_function *outer,
		      const void *address, bool bound)
{
	const void *layer = NULL;
	Dl_info a, b;
	int saved = errno;
	bool is;

	/* An entry of its own row may call the function of C, or not, as the library has it. */
	if (who_calls(f, address).mpi)
		return bound && !(outer && outer != f && !strcmp(outer->region, f->region));
	if (!outer || outer->below == outer->real)
		return true;
	tau_hide();
	layer = own_of_code(address, outer->plain);
	is = !layer || !dladdr(address, &a) || !dladdr(layer, &b) || a.dli_fbase != b.dli_fbase;
	tau_show();
	errno = saved;
	return is;
}
