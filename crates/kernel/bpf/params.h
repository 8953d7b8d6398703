/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * The parameters of a controller: written from the list in crates/kernel/src/parameters.rs, whose test
 * compares the two (WESTWOOD_WRITE=1 writes it anew). Names and bounds are those of crates/cc.
 */
#ifndef WESTWOOD_PARAMS_H
#define WESTWOOD_PARAMS_H

struct params {
	u64 tau_ns;             /* tau */
	u64 samples_per_tau;    /* m */
	u64 corrected;          /* count: 0 printed, 1 corrected */
	u64 guard;              /* guard */
	u64 window_rtt;         /* window: 0 min-rtt, 1 rtt */
	u64 filter;             /* filter: 0 a, 1 b */
	u64 filter_gain;        /* filter_gain, 32 fractional bits */
	u64 start;              /* start: 0 first-sample, 1 zero, 2 settled */
	u64 interval_rtt;       /* rtt: 0 last, 1 smoothed */
	u64 floor_ns;           /* floor */
	u64 threshold;          /* threshold in segments, 32 fractional bits */
	u64 gain_num;           /* gain */
	u64 gain_den;           /* gain */
	u64 a;                  /* a */
	u64 adapt;              /* adapt */
	u64 cap;                /* cap */
	u64 pacing;             /* the connection is paced */
	u64 decay;              /* decay */
	u64 given;              /* bwe */
};

#endif
