/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * The estimate of Westwood+, one sample a round-trip time (westwood-plus-2004 section 2.3), as in
 * crates/cc/src/estimate/once_per_rtt.rs.
 */
#ifndef WESTWOOD_ESTIMATE_H
#define WESTWOOD_ESTIMATE_H

#include "acked.h"
#include "filter.h"

/* The samples in a row without growth by a quarter that end the climb. */
#define SETTLED_AFTER 3

static inline void estimate_init(struct state *s)
{
	s->phase = params.start == FIRST_SAMPLE ? PHASE_FIRST :
		   params.start == SETTLED ? PHASE_CLIMBING : PHASE_FILTERING;
}

static inline void estimate_feed(struct state *s, u64 sample, u64 span_ns)
{
	if (params.filter == FILTER_A)
		filter_a(s, sample, span_ns);
	else
		filter_b(s, sample);
}

/* The largest sample so far, until samples have settled. */
static inline void estimate_climb(struct state *s, u64 sample, u64 span_ns)
{
	s->flat = sample > add_sat(s->bwe, s->bwe / 4) ? 0 : s->flat + 1;
	if (s->flat == SETTLED_AFTER) {
		s->phase = PHASE_FILTERING;
		estimate_feed(s, sample, span_ns);
	} else if (sample > s->bwe) {
		settle(s, sample);
	}
}

static inline void estimate_take(struct state *s, u64 sample, u64 span_ns)
{
	if (s->phase == PHASE_FIRST) {
		settle(s, sample);
		s->phase = PHASE_FILTERING;
	} else if (s->phase == PHASE_CLIMBING) {
		estimate_climb(s, sample, span_ns);
	} else {
		estimate_feed(s, sample, span_ns);
	}
}

static inline void estimate_rtt(struct state *s, const struct ack *ack)
{
	if (params.interval_rtt == INTERVAL_SMOOTHED && ack->srtt_us != 0)
		s->rtt_us = ack->srtt_us;
	else if (ack->rtt_us != 0)
		s->rtt_us = ack->rtt_us;
}

/*
 * An interval ends with the first ACK that comes at least a round-trip time after its beginning;
 * that ACK belongs to the next one.
 */
static inline void estimate_ack(struct state *s, const struct ack *ack)
{
	u64 span_ns, sample;
	int none;

	estimate_rtt(s, ack);
	if (!s->began) {
		s->began = 1;
		s->began_ns = ack->now_ns;
	}
	span_ns = sub_sat(ack->now_ns, s->began_ns);
	if (s->rtt_us != 0 && span_ns >= max_u64(s->rtt_us * NS_PER_US, params.floor_ns)) {
		sample = bytes_per(s->data, span_ns, &none);
		if (!none) {
			estimate_take(s, sample, span_ns);
			s->began_ns = ack->now_ns;
			s->data = 0;
		}
	}
	s->data = add_sat(s->data, ack->smss * acked_count(s, ack->newly));
}

/* Silence does not decay this estimate. */
static inline u64 estimate_read(struct state *s, u64 now_ns)
{
	(void)now_ns;
	return s->bwe;
}

#endif
