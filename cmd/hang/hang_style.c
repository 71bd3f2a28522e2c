/* hang_style.c: names and times in words about a run that hangs. */
#include "cmd/hang/hang_style.h"

#include "cmd/table/region_name.h"

char *hang_style_name(const struct hang_style *s, const char *name)
{
	return s->text ? region_name_short(name) : mem_string(name);
}

char *hang_style_path(const struct hang_style *s, const uint32_t *region, size_t n)
{
	char *text = region_names_joined(s->trace, region, n), *shown = hang_style_name(s, text);

	free(text);
	return shown;
}

static const char *in_unit(const struct hang_style *s, double ns, char text[QUANTITY_TEXT],
			   const char *(*print)(double ns, char to[QUANTITY_TEXT]))
{
	return s->unit ? quantity_in_text(ns / 1000 / s->unit->size, s->unit->precision,
					  s->unit->name, text)
		       : print(ns, text);
}

const char *hang_style_time(const struct hang_style *s, double ns, char text[QUANTITY_TEXT])
{
	return in_unit(s, ns, text, quantity_time_text);
}

const char *hang_style_moment(const struct hang_style *s, double ns, char text[QUANTITY_TEXT])
{
	return in_unit(s, ns, text, quantity_moment_text);
}
