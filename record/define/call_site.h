/*
 * call_site.h: regions that are the calls of one function, or of one other region, from one place in the code.
 */
#ifndef CALL_SITE_H
#define CALL_SITE_H

/* Other functions are excluded from now on. */
void call_sites_reselect(void);

#endif
