/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* Multiplicative probing (Mascolo and Racanelli 2005), as in crates/cc/src/increase/probing.rs. */
#ifndef WESTWOOD_INCREASE_H
#define WESTWOOD_INCREASE_H

#include "memoryless.h"

/* 1/cwnd an ACK below the threshold, a fixed share of a segment from there on. */
static inline u64 increase(struct state *s, u64 cwnd, u64 credit)
{
	u64 added;

	(void)s;
	if (cwnd < params.threshold)
		added = window_over(credit, cwnd);
	else
		added = min_u64(scale(credit, params.gain_num, params.gain_den), MAX_SEGMENTS);
	return window_add(cwnd, added);
}

#endif
