/* host_news.c: sentences about hosts of a look. */
#include "cmd/monitor/host_news.h"

#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"

/* "; lost for 3.1 s, next try in 4.0 s"; to be freed. */
static char *when_text(const struct look_host *x)
{
	char lost[QUANTITY_TEXT], again[QUANTITY_TEXT];

	if (isnan(x->again))
		return mem_string("");
	quantity_in_text(x->lost, 1, "s", lost);
	return x->again > 0 ? mem_printf("; lost for %s, next try in %s", lost,
					 quantity_in_text(x->again, 1, "s", again))
			    : mem_printf("; lost for %s, is tried again now", lost);
}

static struct host_said *before(struct host_news *n, const char *name)
{
	uint32_t id = names_add(&n->host, name, strlen(name));

	while (n->before_n <= id)
		*array_add(n, before) = (struct host_said){0};
	return &n->before[id];
}

/* Each failed try has a sentence. */
static char *lost_news(struct host_said *b, const struct look_host *x)
{
	char *when = when_text(x), *text = NULL;

	if (b->tries != x->tries)
		text = mem_printf("%s: %s%s", x->name, x->why ? x->why : "", when);
	free(when);
	b->tries = x->tries;
	b->lost = x->lost;
	return text;
}

char *host_news(struct host_news *n, const struct look_host *x)
{
	struct host_said *b = before(n, x->name);
	char *text = NULL, lost[QUANTITY_TEXT];
	size_t printed = n->printed.name_n;

	if (x->state == LOOK_HOST_LOST)
		return lost_news(b, x);
	if (b->tries && x->state == LOOK_HOST_SHOWN)
		text = mem_printf("%s: shown again; it was lost for more than %s", x->name,
				  quantity_in_text(b->lost, 1, "s", lost));
	b->tries = 0;
	if (text || !x->why)
		return text;
	text = mem_printf("%s: %s", x->name, x->why);
	if (names_add(&n->printed, text, strlen(text)) == printed)
		return text;
	free(text);
	return NULL;
}

void host_news_release(struct host_news *n)
{
	names_release(&n->printed);
	names_release(&n->host);
	free(n->before);
}
