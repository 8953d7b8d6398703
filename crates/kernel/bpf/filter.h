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

/*
 * Tustin's rule with a varying step (westwood-2002 section 2.2; westwood-plus-2004 equation 3): the
 * next output. A function of its own, so that the kernel's verifier looks at it once and not at
 * every turn of a loop.
 */
SUBPROGRAM u64 tustin_output(u64 output, u64 last_sample, u64 sample, u64 step_ns)
{
	u64 step = min_u64(step_ns, params.tau_ns * 2);
	u64 den = params.tau_ns * 2 + step;
	/* Up to tau/2 the product fits a word as it is. */
	u64 shift = step > params.tau_ns / 2 ? 2 : 0;
	u64 inputs = sample + last_sample;
	u64 twice = output * 2;

	if (inputs >= twice)
		return add_sat(output, scale(inputs - twice, step >> shift, den >> shift));
	return sub_sat(output, scale(twice - inputs, step >> shift, den >> shift));
}

static inline void tustin(struct state *s, u64 sample, u64 step_ns)
{
	sample = min_u64(sample, MAX_SAMPLE);
	s->bwe = tustin_output(s->bwe, s->last_sample, sample, step_ns);
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
