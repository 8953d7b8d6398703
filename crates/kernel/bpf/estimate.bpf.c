/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * Writes out the estimate of every TCP socket among a process's descriptors. It reads each controller's
 * state where it lies, so that a look costs the connections nothing.
 */
#include "kernel.h"
#include "state.h"
#include "estimate.h"

char _license[] SEC("license") = "Dual MIT/GPL";

SEC("iter/task_file")
int westwood_estimate(struct bpf_iter__task_file *ctx)
{
	struct socket___of_file *socket;
	struct file *file = ctx->file;
	struct inet_connection_sock *icsk;
	struct estimate out = {};
	struct tcp_sock *tp;
	struct sock *sk;

	if (!file)
		return 0;
	socket = (void *)bpf_sock_from_file(file);
	if (!socket)
		return 0;
	sk = socket->sk;
	if (!sk)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	icsk = &tp->inet_conn;
	out.fd = ctx->fd;
	bpf_probe_read_kernel_str(out.controller, sizeof(out.controller), icsk->icsk_ca_ops->name);
	bpf_probe_read_kernel(&out.bwe, sizeof(out.bwe),
			      (char *)icsk->icsk_ca_priv + __builtin_offsetof(struct state, bwe));
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out));
	return 0;
}
