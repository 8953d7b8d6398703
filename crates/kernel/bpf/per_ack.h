/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * The estimate of Westwood, one sample an ACK (westwood-2002 sections 2.2 and 2.3), as in
 * crates/cc/src/estimate/per_ack.rs.
 */
#ifndef WESTWOOD_ESTIMATE_H
#define WESTWOOD_ESTIMATE_H

#include "acked.h"
#include "filter.h"

/* The silence, in time constants, that leaves nothing of the estimate. */
#define FORGOTTEN 32
/* m is at most 8. */
#define MAX_VIRTUAL (FORGOTTEN * 8)

static inline void estimate_init(struct state *s)
{
	(void)s;
}

/* The spacing of virtual samples. */
static inline u64 grid(void)
{
	return params.tau_ns / params.samples_per_tau;
}

/* Feeds `n` virtual samples of zero after the last sample; none without decay. */
static inline void silence(struct state *s, u64 n)
{
	if (!params.decay)
		return;
	if (n >= FORGOTTEN * params.samples_per_tau) {
		settle(s, 0);
	} else {
		for (u32 i = 0; i < MAX_VIRTUAL; i++) {
			if (i >= n)
				break;
			tustin(s, 0, grid());
		}
	}
	s->began_ns = add_sat(s->began_ns, mul_sat(grid(), n));
}

static inline void estimate_ack(struct state *s, const struct ack *ack)
{
	u64 data = ack->smss * acked_count(s, ack->newly), step_ns, sample;
	int none;

	if (!s->began) {
		s->began = 1;
		s->began_ns = sub_sat(ack->now_ns, ack->rtt_us * NS_PER_US);
		/* Without a sample this ACK only starts the clock. */
		if (ack->rtt_us == 0)
			return;
	}
	/* Strictly before this ACK: on the grid the ACK wins. */
	silence(s, sub_sat(sub_sat(ack->now_ns, s->began_ns), 1) / grid());
	s->data = add_sat(s->data, data);
	step_ns = sub_sat(ack->now_ns, s->began_ns);
	sample = bytes_per(s->data, step_ns, &none);
	if (!none) {
		tustin(s, sample, step_ns);
		s->data = 0;
		s->began_ns = ack->now_ns;
	}
}

/* The estimate, silence since the last ACK counted in. */
static inline u64 estimate_read(struct state *s, u64 now_ns)
{
	if (s->began)
		silence(s, sub_sat(now_ns, s->began_ns) / grid());
	return s->bwe;
}

#endif
