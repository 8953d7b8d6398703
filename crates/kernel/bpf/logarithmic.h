/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * Logarithmic increase (log-westwood-2008 section 3.1), as in
 * crates/cc/src/increase/logarithmic.rs. The kernel counts whole segments when it reduces a window,
 * so Wmax is whole here.
 */
#ifndef WESTWOOD_INCREASE_H
#define WESTWOOD_INCREASE_H

/* The largest `a`: only against overflow. */
#define MAX_A (1U << 20)

static inline void increase_init(struct state *s)
{
	s->a = params.a;
}

static inline void increase_ack(struct state *s, const struct ack *ack)
{
	s->snd_nxt = ack->snd_nxt;
	/* Sequence numbers wrap, so the end of the loss window is noted when it passes. */
	if ((s32)(ack->snd_una - s->recover) >= 0)
		s->in_loss_window = 0;
	s->outstanding = (s32)(ack->snd_una - ack->snd_nxt) < 0;
}

/* Equation 2, for an ACK that counts `credit`. */
static inline u64 increment(struct state *s, u64 cwnd, u64 w_max, u64 credit)
{
	u64 gap = w_max - cwnd;
	u64 per_segment = window_over(gap, cwnd) / max_u64(s->a, 1);
	u64 climb = min_u64(min_u64(mul_q32(per_segment, credit), MAX_SEGMENTS), gap);

	if (params.cap)
		climb = min_u64(climb, credit);
	return max_u64(climb, window_over(credit, cwnd));
}

/* Once a climb: Wmax is reached without a loss. */
static inline void judge_climb(struct state *s, u64 cwnd)
{
	if (s->reached || s->w_max == 0 || cwnd < segments(s->w_max))
		return;
	s->reached = 1;
	if (params.adapt)
		s->a = max_u64(s->a / 2, params.a);
}

static inline u64 increase(struct state *s, u64 cwnd, u64 credit)
{
	u64 w_max = segments(s->w_max);
	u64 next;

	if (s->w_max != 0 && cwnd < w_max)
		next = window_add(cwnd, increment(s, cwnd, w_max, credit));
	else
		next = window_add(cwnd, window_over(credit, cwnd));
	judge_climb(s, next);
	return next;
}

/* A timeout within the loss window of the last reduction changes nothing. */
static inline void increase_reduced(struct state *s, u32 before, enum cause cause)
{
	if (cause == TIMEOUT && s->has_before && s->in_loss_window)
		return;
	s->before_w_max = s->w_max;
	s->before_a = s->a;
	s->before_reached = s->reached;
	s->has_before = 1;
	s->recover = s->snd_nxt;
	s->in_loss_window = s->outstanding;
	/* Slow start may have carried the window past Wmax. */
	judge_climb(s, segments(before));
	if (params.adapt && s->w_max != 0 && segments(before) < segments(s->w_max))
		s->a = min_u64((u64)s->a * 2, MAX_A);
	s->w_max = before;
	s->reached = 0;
}

static inline void increase_undone(struct state *s)
{
	if (!s->has_before)
		return;
	s->has_before = 0;
	s->w_max = s->before_w_max;
	s->a = s->before_a;
	s->reached = s->before_reached;
}

#endif
