/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * Adaptive decrease, ssthresh = max(2, B Rmin / S), as in crates/cc/src/decrease/adaptive.rs.
 */
#ifndef WESTWOOD_ADAPTIVE_H
#define WESTWOOD_ADAPTIVE_H

static inline void decrease_ack(struct state *s, const struct ack *ack)
{
	s->smss = ack->smss;
	if (ack->rtt_us != 0) {
		s->last_rtt_us = ack->rtt_us;
		if (s->min_rtt_us == 0 || ack->rtt_us < s->min_rtt_us)
			s->min_rtt_us = ack->rtt_us;
	}
	estimate_ack(s, ack);
}

/* ssthresh, the numbers of which do not depend on the cause. */
static inline u64 decrease_threshold(struct state *s, u64 cwnd, u64 now_ns)
{
	u32 rtt_us = params.window_rtt == LAST_RTT ? s->last_rtt_us : s->min_rtt_us;
	u64 rate;

	if (rtt_us == 0)
		return max_u64(cwnd / 2, TWO_SEGMENTS);
	rate = estimate_read(s, now_ns);
	if (params.given != 0)
		rate = params.given;
	return max_u64(pipe(rate, rtt_us * NS_PER_US, s->smss), TWO_SEGMENTS);
}

/* The window at which recovery ends: with the guard a loss only ever lowers the window. */
static inline u64 decrease_resume(u64 ssthresh, u64 cwnd)
{
	return params.guard ? max_u64(min_u64(ssthresh, cwnd), ONE_SEGMENT) : ssthresh;
}

#endif
