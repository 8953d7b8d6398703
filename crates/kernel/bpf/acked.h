/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* How many segments an ACK stands for, as in crates/cc/src/estimate/acked.rs. */
#ifndef WESTWOOD_ACKED_H
#define WESTWOOD_ACKED_H

/*
 * westwood-2002 section 2.3: what duplicates have claimed is taken off the cumulative ACK that
 * follows. `accounted` has 32 bits here and 64 in Rust: four thousand million duplicates without a
 * cumulative ACK would have to come before the two differ.
 */
static inline u64 acked_count(struct state *s, u32 newly)
{
	u32 claimed = s->accounted;

	if (newly == 0) {
		if (claimed != ~0U)
			s->accounted = claimed + 1;
		return 1;
	}
	if (newly == 1)
		return 1;
	if (newly <= claimed) {
		s->accounted = claimed - (params.corrected ? newly - 1 : newly);
		return 1;
	}
	s->accounted = 0;
	return newly - claimed;
}

#endif
