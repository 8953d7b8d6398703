/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * The controller as a program of the host: reads the parameters and then events from its input,
 * fills in each event's answers and writes it out. For crates/kernel/tests/host.rs, which compares
 * the answers with crates/cc.
 */
#ifndef WESTWOOD_HOST_H
#define WESTWOOD_HOST_H

#include <stdio.h>

#include "event.h"

#define TCP_CA_LOSS 4

static void host_measure(struct state *s, const struct event *e)
{
	struct ack ack = {
		.now_ns = e->now_us * NS_PER_US,
		.newly = e->input[0],
		.rtt_us = e->input[1],
		.srtt_us = e->input[2],
		.smss = e->input[3],
		.snd_una = e->input[4],
		.snd_nxt = e->input[5],
	};

	controller_measure(s, &ack);
}

static void host_grow(struct state *s, struct event *e)
{
	struct window w = {
		.cwnd = min_u64((u64)e->cwnd << 32 | e->cwnd_cnt, MAX_SEGMENTS),
		.ssthresh = segments(e->ssthresh),
	};
	u64 cwnd = controller_grow(s, w, segments(e->input[0]));

	cwnd = min_u64(cwnd, (u64)e->input[1] << 32);
	e->new_cwnd = cwnd >> 32;
	e->new_cwnd_cnt = (u32)cwnd;
}

static void host_step(struct state *s, struct event *e)
{
	e->new_cwnd = e->cwnd;
	e->new_cwnd_cnt = e->cwnd_cnt;
	e->new_ssthresh = e->ssthresh;
	switch (e->kind) {
	case EVENT_INIT:
		controller_init(s, e->input[0]);
		break;
	case EVENT_MEASURE:
		host_measure(s, e);
		break;
	case EVENT_GROW:
		host_grow(s, e);
		break;
	case EVENT_SSTHRESH:
		e->new_ssthresh = controller_ssthresh(s, e->cwnd, e->now_us * NS_PER_US);
		break;
	case EVENT_STATE:
		controller_reduced(s, e->input[0] == TCP_CA_LOSS ? TIMEOUT : FAST_RETRANSMIT);
		if (e->input[0] == TCP_CA_LOSS)
			e->new_ssthresh = controller_settled(s, e->ssthresh);
		break;
	case EVENT_UNDO:
		e->new_cwnd = controller_undone(s, e->cwnd, e->input[0]);
		break;
	case EVENT_COMPLETE:
		e->new_ssthresh = controller_settled(s, e->ssthresh);
		break;
	}
	e->bwe = s->bwe;
	e->min_rtt_us = s->min_rtt_us;
}

int main(void)
{
	struct state s;
	struct event e;

	memset(&s, 0, sizeof(s));
	if (fread(&params, sizeof(params), 1, stdin) != 1)
		return 2;
	while (fread(&e, sizeof(e), 1, stdin) == 1) {
		host_step(&s, &e);
		if (fwrite(&e, sizeof(e), 1, stdout) != 1)
			return 1;
	}
	return 0;
}

#endif
