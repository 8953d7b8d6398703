/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * The inputs of a controller, and its state.
 *
 * The recorder reads these structures byte by byte: event.rs and watch.rs in crates/kernel/src have
 * the same order.
 */
#ifndef WESTWOOD_STATE_H
#define WESTWOOD_STATE_H

#include "params.h"

enum { MIN_RTT, LAST_RTT };
enum { FILTER_A, FILTER_B };
enum { FIRST_SAMPLE, FROM_ZERO, SETTLED };
enum { INTERVAL_LAST, INTERVAL_SMOOTHED };

/* How far the estimate's beginning has come. */
enum { PHASE_FIRST, PHASE_CLIMBING, PHASE_FILTERING };

/* A connection's state, in the 104 bytes that the kernel lends. */
struct state {
	u64 bwe;		/* the filter's output */
	u64 last_sample;	/* the sample before, for Tustin's rule */
	u64 began_ns;		/* the interval, or the last sample */
	u64 data;		/* bytes since then */
	u32 smss;
	u32 rtt_us;		/* that an interval lasts; 0 before the first sample */
	u32 last_rtt_us;
	u32 min_rtt_us;
	u32 accounted;		/* segments that duplicates have claimed */
	u32 delivered;		/* tp->delivered at the last ACK */
	u32 snd_nxt;		/* at the last ACK */
	u32 recover;		/* snd_nxt when the window was last reduced */
	u32 w_max;		/* whole segments; 0 before the first loss */
	u32 a;
	u32 before_w_max;	/* as they were before the last reduction */
	u32 before_a;
	u32 asked_cwnd;		/* the window of a reduction whose cause is not known yet */
	u32 ssthresh;		/* the guard's ssthresh until recovery ends, else 0 */
	u8 phase;
	u8 flat;		/* samples in a row that have not grown */
	u8 began;		/* began_ns is valid */
	u8 in_loss_window;
	u8 has_before;		/* a reduction may be undone */
	u8 reached : 1;		/* Wmax has been reached since the last loss */
	u8 before_reached : 1;
	u8 outstanding;		/* snd_una < snd_nxt at the last ACK */
	u8 told;		/* the kernel's congestion state, as set_state was last told */
	u32 sequence;		/* events so far, for the recorder */
	u32 id;			/* the connection's number, for the recorder */
};

/* The information of one ACK. */
struct ack {
	u64 now_ns;
	u32 smss;
	u32 newly;		/* segments newly covered; 0 for a duplicate */
	u32 rtt_us;		/* 0 without a sample */
	u32 srtt_us;		/* 0 before the first */
	u32 snd_una;
	u32 snd_nxt;
};

enum cause { FAST_RETRANSMIT, TIMEOUT };

struct window {
	u64 cwnd;
	u64 ssthresh;
};

#endif
