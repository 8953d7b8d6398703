/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * Low-pass filters for bandwidth samples, as in crates/cc/src/estimate/filter.rs. Each moves its
 * output by a magnitude that is rounded down.
 */
#ifndef WESTWOOD_FILTER_H
#define WESTWOOD_FILTER_H

/* Steps of filter A after which nothing of the old output is left. */
#define MAX_STEPS 256

static inline void settle(struct state *s, u64 sample)
{
	s->bwe = min_u64(sample, MAX_SAMPLE);
	s->last_sample = s->bwe;
}

/* Tustin's rule with a varying step (westwood-2002 section 2.2; westwood-plus-2004 equation 3). */
static inline void tustin(struct state *s, u64 sample, u64 step_ns)
{
	u64 step, den, shift, inputs, twice;

	sample = min_u64(sample, MAX_SAMPLE);
	step = min_u64(step_ns, params.tau_ns * 2);
	den = params.tau_ns * 2 + step;
	/* Up to tau/2 the product fits a word as it is. */
	shift = step > params.tau_ns / 2 ? 2 : 0;
	inputs = sample + s->last_sample;
	twice = s->bwe * 2;
	if (inputs >= twice)
		s->bwe = add_sat(s->bwe, scale(inputs - twice, step >> shift, den >> shift));
	else
		s->bwe = sub_sat(s->bwe, scale(twice - inputs, step >> shift, den >> shift));
	s->last_sample = sample;
}

/* Filter A: a long interval is fed as steps of tau/4 and one for the rest. */
static inline void filter_a(struct state *s, u64 sample, u64 span_ns)
{
	u64 step = params.tau_ns / 4;
	u64 steps = span_ns / step;

	if (steps > MAX_STEPS) {
		settle(s, sample);
		return;
	}
	for (u32 i = 0; i < MAX_STEPS; i++) {
		if (i >= steps)
			break;
		tustin(s, sample, step);
	}
	if (span_ns - step * steps != 0)
		tustin(s, sample, span_ns - step * steps);
}

/* Filter B: a constant coefficient (ccr-2004 equation 1). */
static inline void filter_b(struct state *s, u64 sample)
{
	if (sample >= s->bwe)
		s->bwe = add_sat(s->bwe, mul_q32(sample - s->bwe, params.filter_gain));
	else
		s->bwe = sub_sat(s->bwe, mul_q32(s->bwe - sample, params.filter_gain));
}

#endif
