/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * For bench/kernel/cost only: the kernel's own cubic and reno behind programs that do nothing but call
 * them, so that the kernel's account of programs covers them by the same means as ours; and a
 * controller that does nothing, which shows what that account itself costs. -DCUBIC, -DRENO or -DNOTHING.
 */
#include "../../crates/kernel/bpf/kernel.h"

char _license[] SEC("license") = "GPL";

extern void cubictcp_init(struct sock *sk) __ksym;
extern u32 cubictcp_recalc_ssthresh(struct sock *sk) __ksym;
extern void cubictcp_cong_avoid(struct sock *sk, u32 ack, u32 acked) __ksym;
extern void cubictcp_state(struct sock *sk, u8 new_state) __ksym;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym;
extern u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked) __ksym;
extern u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

#define SK ((struct sock *)ctx[0])
#define HOOK(name) SEC("struct_ops/" #name)

HOOK(undo_cwnd)
u32 bench_undo_cwnd(unsigned long long *ctx)
{
	return tcp_reno_undo_cwnd(SK);
}

#ifdef CUBIC

HOOK(init)
int bench_init(unsigned long long *ctx)
{
	cubictcp_init(SK);
	return 0;
}

HOOK(ssthresh)
u32 bench_ssthresh(unsigned long long *ctx)
{
	return cubictcp_recalc_ssthresh(SK);
}

HOOK(cong_avoid)
int bench_cong_avoid(unsigned long long *ctx)
{
	cubictcp_cong_avoid(SK, ctx[1], ctx[2]);
	return 0;
}

HOOK(set_state)
int bench_set_state(unsigned long long *ctx)
{
	cubictcp_state(SK, ctx[1]);
	return 0;
}

HOOK(cwnd_event)
int bench_cwnd_event(unsigned long long *ctx)
{
	cubictcp_cwnd_event(SK, ctx[1]);
	return 0;
}

HOOK(pkts_acked)
int bench_pkts_acked(unsigned long long *ctx)
{
	cubictcp_acked(SK, (const struct ack_sample *)ctx[1]);
	return 0;
}

SEC(".struct_ops")
struct tcp_congestion_ops bench_cubic = {
	.name = "bench_cubic",
	.init = (void *)bench_init,
	.set_state = (void *)bench_set_state,
	.cwnd_event = (void *)bench_cwnd_event,
	.pkts_acked = (void *)bench_pkts_acked,

#else

HOOK(ssthresh)
u32 bench_ssthresh(unsigned long long *ctx)
{
	return tcp_reno_ssthresh(SK);
}

#ifdef RENO

HOOK(cong_avoid)
int bench_cong_avoid(unsigned long long *ctx)
{
	tcp_reno_cong_avoid(SK, ctx[1], ctx[2]);
	return 0;
}

SEC(".struct_ops")
struct tcp_congestion_ops bench_reno = {
	.name = "bench_reno",

#else

HOOK(cong_avoid)
int bench_cong_avoid(unsigned long long *ctx)
{
	(void)ctx;
	return 0;
}

HOOK(pkts_acked)
int bench_pkts_acked(unsigned long long *ctx)
{
	(void)ctx;
	return 0;
}

SEC(".struct_ops")
struct tcp_congestion_ops bench_nothing = {
	.name = "bench_nothing",
	.pkts_acked = (void *)bench_pkts_acked,

#endif
#endif
	.ssthresh = (void *)bench_ssthresh,
	.cong_avoid = (void *)bench_cong_avoid,
	.undo_cwnd = (void *)bench_undo_cwnd,
};
