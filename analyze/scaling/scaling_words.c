/* scaling_words.c: terms, orders and models of scaling.h as text. */
#include "analyze/scaling/scaling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void term_words(const struct scaling_term *t, const char *log, char *buf, size_t size)
{
	char power[32] = "", logarithm[32] = "";

	if (t->i_over == t->i_under)
		strcpy(power, "P");
	else if (t->i_over && t->i_under == 1)
		snprintf(power, sizeof(power), "P^%d", t->i_over);
	else if (t->i_over)
		snprintf(power, sizeof(power), "P^(%d/%d)", t->i_over, t->i_under);
	if (t->j == 1)
		snprintf(logarithm, sizeof(logarithm), "%s P", log);
	else if (t->j)
		snprintf(logarithm, sizeof(logarithm), "%s^%d P", log, t->j);
	snprintf(buf, size, "%s%s%s", power, *power && *logarithm ? " " : "",
		 *power || *logarithm ? logarithm : "1");
}

char *scaling_term_text(const struct scaling_term *t, char *buf, size_t size)
{
	term_words(t, "log2", buf, size);
	return buf;
}

char *scaling_order_text(const struct scaling_term *t, char *buf, size_t size)
{
	char words[64];

	term_words(t, "log", words, sizeof(words));
	snprintf(buf, size, "O(%s)", words);
	return buf;
}

char *scaling_orders_text(const struct scaling_model *m, char *buf, size_t size)
{
	char least[72], most[72];

	scaling_order_text(&m->least, least, sizeof(least));
	scaling_order_text(&m->most, most, sizeof(most));
	snprintf(buf, size, "%.40s%s%.40s", least, strcmp(least, most) ? " to " : "",
		 strcmp(least, most) ? most : "");
	return buf;
}

char *scaling_model_text(const struct scaling_model *m, scaling_number *number, char *buf,
			 size_t size)
{
	char base[64], factor[64], term[64];

	number(fabs(m->c0), base, sizeof(base));
	number(fabs(m->c1), factor, sizeof(factor));
	scaling_term_text(&m->term, term, sizeof(term));
	if (m->c1 == 0)
		snprintf(buf, size, "%s%s", m->c0 < 0 ? "-" : "", base);
	else if (m->c0 == 0)
		snprintf(buf, size, "%s%s x %s", m->c1 < 0 ? "-" : "", factor, term);
	else if (m->c0 < 0 && m->c1 > 0)
		snprintf(buf, size, "%s x %s - %s", factor, term, base);
	else
		snprintf(buf, size, "%s%s %s %s x %s", m->c0 < 0 ? "-" : "", base,
			 m->c1 < 0 ? "-" : "+", factor, term);
	return buf;
}
