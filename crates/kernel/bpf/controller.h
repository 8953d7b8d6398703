/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * A window controller: standard slow start, an increase and the adaptive decrease, as
 * crates/cc/src/windowed.rs joins them. An estimate and an increase are included before this file.
 */
#ifndef WESTWOOD_CONTROLLER_H
#define WESTWOOD_CONTROLLER_H

#include "adaptive.h"

static inline void controller_init(struct state *s, u32 smss)
{
	__builtin_memset(s, 0, sizeof(*s));
	s->smss = smss;
	estimate_init(s);
	increase_init(s);
}

static inline void controller_measure(struct state *s, const struct ack *ack)
{
	increase_ack(s, ack);
	decrease_ack(s, ack);
}

/* Slow start takes one credit whole and splits a larger one at ssthresh (RFC 5681 section 3.1). */
static inline u64 controller_grow(struct state *s, struct window w, u64 credit)
{
	u64 used;

	if (w.cwnd < w.ssthresh) {
		used = credit <= ONE_SEGMENT ? credit : min_u64(credit, w.ssthresh - w.cwnd);
		w.cwnd = window_add(w.cwnd, used);
		credit -= used;
	}
	return credit == 0 ? w.cwnd : increase(s, w.cwnd, credit);
}

/*
 * The second half of a reduction: the cause is known. Without a question there is nothing to do.
 */
static inline void controller_reduced(struct state *s, enum cause cause)
{
	if (s->asked_cwnd == 0)
		return;
	increase_reduced(s, s->asked_cwnd, cause);
	s->asked_cwnd = 0;
}

/*
 * The first half of a reduction from `cwnd` whole segments: the window at which recovery ends. The
 * increase learns of the reduction in the second half, since the kernel tells the cause only
 * afterwards. Where the guard keeps the window below ssthresh, ssthresh waits as well.
 */
static inline u32 controller_ssthresh(struct state *s, u32 cwnd, u64 now_ns)
{
	u64 ssthresh, resume;

	controller_reduced(s, FAST_RETRANSMIT);
	s->asked_cwnd = cwnd;
	ssthresh = decrease_threshold(s, segments(cwnd), now_ns);
	resume = decrease_resume(ssthresh, segments(cwnd));
	s->ssthresh = whole(resume) < whole(ssthresh) ? whole(ssthresh) : 0;
	return whole(resume);
}

/* The ssthresh in force from now on: the one that has waited, or `present` if none has. */
static inline u32 controller_settled(struct state *s, u32 present)
{
	u32 ssthresh = s->ssthresh ? s->ssthresh : present;

	s->ssthresh = 0;
	return ssthresh;
}

/* The last reduction was spurious; the window to go on with, in whole segments. */
static inline u32 controller_undone(struct state *s, u32 cwnd, u32 before_cwnd)
{
	s->ssthresh = 0;
	increase_undone(s);
	return cwnd > before_cwnd ? cwnd : before_cwnd;
}

#endif
