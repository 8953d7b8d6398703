/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* Additive increase, as in crates/cc/src/increase/additive.rs. */
#ifndef WESTWOOD_INCREASE_H
#define WESTWOOD_INCREASE_H

#include "memoryless.h"

/* cwnd += credit / cwnd (RFC 5681 section 3.1, equation 3). */
static inline u64 increase(struct state *s, u64 cwnd, u64 credit)
{
	(void)s;
	return window_add(cwnd, window_over(credit, cwnd));
}

#endif
