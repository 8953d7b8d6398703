/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * Writes out the estimate of every socket that is followed. A socket is followed once its owner has
 * put a number into this map for it; it costs the connection nothing, since its state is read where
 * it lies, and a look costs as much as there are such sockets.
 */
#include "kernel.h"
#include "state.h"
#include "followed.h"

char _license[] SEC("license") = "Dual MIT/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u64);
} followed SEC(".maps");

SEC("iter/bpf_sk_storage_map")
int westwood_estimate(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	struct sock *sk = ctx->sk;
	u64 *number = ctx->value;
	struct inet_connection_sock *icsk;
	struct followed out = {};
	struct tcp_sock *tp;

	if (!sk || !number)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	icsk = &tp->inet_conn;
	out.number = *number;
	bpf_probe_read_kernel_str(out.controller, sizeof(out.controller), icsk->icsk_ca_ops->name);
	bpf_probe_read_kernel(&out.bwe, sizeof(out.bwe),
			      (char *)icsk->icsk_ca_priv + __builtin_offsetof(struct state, bwe));
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out));
	return 0;
}
