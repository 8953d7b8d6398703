/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * One call of a controller, as the recorder sees it: the window before, the inputs, the answers.
 * crates/kernel/src/event.rs reads the same bytes.
 */
#ifndef WESTWOOD_EVENT_H
#define WESTWOOD_EVENT_H

enum event_kind {
	EVENT_INIT = 1,		/* a connection begins */
	EVENT_MEASURE,		/* an ACK */
	EVENT_GROW,		/* the window may grow */
	EVENT_SSTHRESH,		/* asked for a reduction */
	EVENT_STATE,		/* the kernel's state changes: a reduction's cause is known */
	EVENT_UNDO,		/* the last reduction was spurious */
	EVENT_COMPLETE,		/* recovery ends */
	EVENT_RELEASE,		/* the controller leaves the connection */
};

#define EVENT_INPUTS 8

struct event {
	u64 now_us;		/* the kernel's clock of this connection */
	u64 bwe;		/* after the call: byte/s, 16 fractional bits */
	u32 id;			/* the connection */
	u32 sequence;		/* of this connection's events, from 0 without a gap */
	u32 kind;
	u32 cwnd;		/* before the call, by the kernel or by this controller */
	u32 cwnd_cnt;
	u32 ssthresh;
	u32 new_cwnd;		/* after the call: what the controller wrote or answered */
	u32 new_cwnd_cnt;
	u32 new_ssthresh;
	u32 min_rtt_us;		/* after the call */
	/*
	 * INIT     smss, family, local port, remote port, remote address (4 words, network order)
	 * MEASURE  newly, rtt_us, srtt_us, smss, snd_una, snd_nxt
	 * GROW     segments acknowledged, snd_cwnd_clamp
	 * STATE    the new state
	 * UNDO     prior_cwnd
	 */
	u32 input[EVENT_INPUTS];
};

#endif
