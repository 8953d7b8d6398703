/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * Writes out every TCP socket of the reader's network namespace. It reads each controller's state
 * where it lies, so that watching costs the connections nothing.
 */
#include "kernel.h"
#include "state.h"
#include "socket.h"

char _license[] SEC("license") = "Dual MIT/GPL";

#define AF_INET6 10
#define TCP_LISTEN 10

static inline void addresses(struct socket *out, struct sock_common *skc)
{
	out->family = skc->skc_family;
	out->local_port = skc->skc_num;
	out->remote_port = __builtin_bswap16(skc->skc_dport);
	if (skc->skc_family == AF_INET6) {
		bpf_probe_read_kernel(out->local, 16, &skc->skc_v6_rcv_saddr);
		bpf_probe_read_kernel(out->remote, 16, &skc->skc_v6_daddr);
	} else {
		out->local[0] = skc->skc_rcv_saddr;
		out->remote[0] = skc->skc_daddr;
	}
}

SEC("iter/tcp")
int westwood_watch(struct bpf_iter__tcp *ctx)
{
	struct sock_common *skc = ctx->sk_common;
	struct inet_connection_sock *icsk;
	struct socket out = {};
	struct tcp_sock *tp;

	if (!skc || skc->skc_state == TCP_LISTEN)
		return 0;
	/* Neither connections that begin nor those that wait for their end have a window. */
	tp = bpf_skc_to_tcp_sock(skc);
	if (!tp)
		return 0;
	icsk = &tp->inet_conn;
	addresses(&out, skc);
	bpf_probe_read_kernel_str(out.controller, sizeof(out.controller),
				  icsk->icsk_ca_ops->name);
	out.tcp_state = skc->skc_state;
	out.cwnd = tp->snd_cwnd;
	out.cwnd_cnt = tp->snd_cwnd_cnt;
	out.ssthresh = tp->snd_ssthresh;
	out.srtt_us = tp->srtt_us >> 3;
	out.total_retrans = tp->total_retrans;
	out.bytes_acked = tp->bytes_acked;
	out.in_flight = tp->packets_out;
	bpf_probe_read_kernel(&out.state, sizeof(out.state), icsk->icsk_ca_priv);
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out));
	return 0;
}
