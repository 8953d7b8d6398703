/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * The kernel's hooks: each reads its inputs, calls the controller and writes the answer.
 *
 *   verb       hook            what the kernel writes itself
 *   measure    pkts_acked
 *   grow       cong_avoid
 *   reduce     ssthresh, and set_state, which tells the cause    cwnd (PRR; 1 + in flight)
 *   recovered  cwnd_event(COMPLETE_CWR)                          cwnd = the answer of ssthresh
 *   undone     undo_cwnd                                         ssthresh
 *
 * in_ack_event is not used: it comes before pkts_acked in some kernels and after it in others.
 */
#ifndef WESTWOOD_HOOKS_H
#define WESTWOOD_HOOKS_H

#ifndef WESTWOOD_HOST

#include "event.h"
#include "status.h"

#define AF_INET6 10
#define TCP_CA_CWR 2
#define TCP_CA_LOSS 4
#define SK_PACING_NONE 0
#define SK_PACING_NEEDED 1

char _license[] SEC("license") = "Dual MIT/GPL";

#define HOOK(name) SEC("struct_ops/" #name)

/* A struct_ops program's arguments are an array of words. */
#define ARGUMENT(type, n) ((type)(ctx[n]))

static inline struct tcp_sock *tcp_of(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static inline struct state *state_of(struct sock *sk)
{
	_Static_assert(sizeof(struct state) <= sizeof(u64[13]), "the kernel lends 104 bytes");
	return (struct state *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

static inline void event_begin(struct event *e, struct tcp_sock *tp, struct state *s, u32 kind)
{
	__builtin_memset(e, 0, sizeof(*e));
	e->now_us = tp->tcp_mstamp;
	e->id = s->id;
	e->sequence = s->sequence++;
	e->kind = kind;
	e->cwnd = e->new_cwnd = tp->snd_cwnd;
	e->cwnd_cnt = e->new_cwnd_cnt = tp->snd_cwnd_cnt;
	e->ssthresh = e->new_ssthresh = tp->snd_ssthresh;
}

static inline void event_end(struct event *e, struct state *s)
{
	e->bwe = s->bwe;
	e->min_rtt_us = s->min_rtt_us;
	/* The kernel may call before it calls init, while a connection opens. */
	if (s->id != 0)
		record(e);
}

static inline u64 now_ns(struct tcp_sock *tp)
{
	return tp->tcp_mstamp * NS_PER_US;
}

static inline void note_address(struct event *e, struct sock *sk)
{
	struct sock_common *skc = &sk->__sk_common;

	e->input[1] = skc->skc_family;
	e->input[2] = skc->skc_num;
	e->input[3] = __builtin_bswap16(skc->skc_dport);
	if (skc->skc_family == AF_INET6) {
		e->input[4] = skc->skc_v6_daddr.in6_u.u6_addr32[0];
		e->input[5] = skc->skc_v6_daddr.in6_u.u6_addr32[1];
		e->input[6] = skc->skc_v6_daddr.in6_u.u6_addr32[2];
		e->input[7] = skc->skc_v6_daddr.in6_u.u6_addr32[3];
	} else {
		e->input[4] = skc->skc_daddr;
	}
}

static inline u8 ca_state_of(struct sock *sk)
{
	return BPF_CORE_READ_BITFIELD((struct inet_connection_sock *)sk, icsk_ca_state);
}

static inline void begin(struct sock *sk, struct tcp_sock *tp, struct state *s)
{
	struct event e;

	controller_init(s, tp->mss_cache);
	s->delivered = tp->delivered;
	s->told = ca_state_of(sk);
	s->id = count_opened();
	keep_status();
	if (params.pacing && sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
	event_begin(&e, tp, s, EVENT_INIT);
	e.input[0] = s->smss;
	note_address(&e, sk);
	event_end(&e, s);
}

/* Asks for a reduction from `cwnd` segments. */
static inline u32 ask(struct tcp_sock *tp, struct state *s, u32 cwnd)
{
	struct event e;

	event_begin(&e, tp, s, EVENT_SSTHRESH);
	e.cwnd = e.new_cwnd = cwnd;
	e.new_ssthresh = controller_ssthresh(s, cwnd, now_ns(tp));
	event_end(&e, s);
	return e.new_ssthresh;
}

/* The state tells the cause; after a timeout the guard's ssthresh is in force at once. */
static inline void tell(struct tcp_sock *tp, struct state *s, u8 ca_state)
{
	struct event e;

	event_begin(&e, tp, s, EVENT_STATE);
	e.input[0] = ca_state;
	controller_reduced(s, ca_state == TCP_CA_LOSS ? TIMEOUT : FAST_RETRANSMIT);
	if (ca_state == TCP_CA_LOSS) {
		e.new_ssthresh = controller_settled(s, e.ssthresh);
		tp->snd_ssthresh = e.new_ssthresh;
	}
	event_end(&e, s);
	s->told = ca_state;
}

/* Recovery ends: the guard's ssthresh comes into force. */
static inline void complete(struct tcp_sock *tp, struct state *s)
{
	struct event e;

	event_begin(&e, tp, s, EVENT_COMPLETE);
	e.new_ssthresh = controller_settled(s, e.ssthresh);
	tp->snd_ssthresh = e.new_ssthresh;
	event_end(&e, s);
}

/*
 * Makes up for calls that never came. The kernel's trampoline may refuse to run a program, and then
 * hands the kernel as its answer what lay on the stack: seen where programs are kept out of the
 * context of process 1, in which a timer may well expire. A state that set_state was not told
 * shows it. Recovery then has a threshold that nobody answered, and its end a window like that: no
 * window after a reduction is larger than the one before.
 */
static inline void make_up(struct sock *sk, struct tcp_sock *tp, struct state *s)
{
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;
	u8 ca_state = ca_state_of(sk);

	if (s->id == 0 && BPF_CORE_READ_BITFIELD(icsk, icsk_ca_initialized))
		begin(sk, tp, s);
	if (ca_state == s->told)
		return;
	count_made_up();
	if (s->told < TCP_CA_CWR && ca_state >= TCP_CA_CWR)
		tp->snd_ssthresh = ask(tp, s, tp->prior_cwnd);
	else if (s->told >= TCP_CA_CWR && ca_state < TCP_CA_CWR)
		complete(tp, s);
	tp->snd_cwnd = min_u64(tp->snd_cwnd, max_u64(tp->prior_cwnd, 1));
	tell(tp, s, ca_state);
}

HOOK(init)
int westwood_init(unsigned long long *ctx)
{
	struct sock *sk = ARGUMENT(struct sock *, 0);

	begin(sk, tcp_of(sk), state_of(sk));
	return 0;
}

/* Older kernels release what was never initialized, or was reset and so released before. */
HOOK(release)
int westwood_release(unsigned long long *ctx)
{
	struct sock *sk = ARGUMENT(struct sock *, 0);
	struct state *s = state_of(sk);
	struct event e;

	if (s->id == 0)
		return 0;
	event_begin(&e, tcp_of(sk), s, EVENT_RELEASE);
	event_end(&e, s);
	s->id = 0;
	count_closed();
	return 0;
}

/*
 * Every ACK while data is outstanding. An ACK that covers nothing new is a duplicate if it reports
 * an arrival (SACK), and else one that travels with data or opens the window.
 */
HOOK(pkts_acked)
int westwood_pkts_acked(unsigned long long *ctx)
{
	struct sock *sk = ARGUMENT(struct sock *, 0);
	const struct ack_sample *sample = ARGUMENT(const struct ack_sample *, 1);
	struct tcp_sock *tp = tcp_of(sk);
	struct state *s = state_of(sk);
	u32 delivered = tp->delivered;
	s32 rtt_us = sample->rtt_us;
	struct ack ack;
	struct event e;

	make_up(sk, tp, s);
	if (sample->pkts_acked == 0 && delivered == s->delivered)
		return 0;
	event_begin(&e, tp, s, EVENT_MEASURE);
	ack.now_ns = now_ns(tp);
	ack.newly = e.input[0] = sample->pkts_acked;
	ack.rtt_us = e.input[1] = rtt_us > 0 ? rtt_us : 0;
	ack.srtt_us = e.input[2] = tp->srtt_us >> 3;
	ack.smss = e.input[3] = tp->mss_cache;
	ack.snd_una = e.input[4] = tp->snd_una;
	ack.snd_nxt = e.input[5] = tp->snd_nxt;
	s->delivered = delivered;
	controller_measure(s, &ack);
	event_end(&e, s);
	return 0;
}

/* tcp_is_cwnd_limited: growth needs a sender that fills its window. */
static inline int cwnd_limited(struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return 1;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

HOOK(cong_avoid)
int westwood_cong_avoid(unsigned long long *ctx)
{
	struct sock *sk = ARGUMENT(struct sock *, 0);
	u32 acked = ARGUMENT(u32, 2);
	struct tcp_sock *tp = tcp_of(sk);
	struct state *s = state_of(sk);
	struct window w;
	struct event e;
	u64 cwnd;

	if (!cwnd_limited(tp))
		return 0;
	event_begin(&e, tp, s, EVENT_GROW);
	e.input[0] = acked;
	e.input[1] = tp->snd_cwnd_clamp;
	w.cwnd = min_u64((u64)e.cwnd << 32 | e.cwnd_cnt, MAX_SEGMENTS);
	w.ssthresh = segments(e.ssthresh);
	cwnd = controller_grow(s, w, segments(acked));
	cwnd = min_u64(cwnd, (u64)e.input[1] << 32);
	e.new_cwnd = cwnd >> 32;
	e.new_cwnd_cnt = (u32)cwnd;
	tp->snd_cwnd = e.new_cwnd;
	tp->snd_cwnd_cnt = e.new_cwnd_cnt;
	event_end(&e, s);
	return 0;
}

HOOK(ssthresh)
u32 westwood_ssthresh(unsigned long long *ctx)
{
	struct sock *sk = ARGUMENT(struct sock *, 0);
	struct tcp_sock *tp = tcp_of(sk);
	struct state *s = state_of(sk);

	make_up(sk, tp, s);
	return ask(tp, s, tp->snd_cwnd);
}

HOOK(set_state)
int westwood_set_state(unsigned long long *ctx)
{
	struct sock *sk = ARGUMENT(struct sock *, 0);
	u8 new_state = ARGUMENT(u8, 1);
	struct tcp_sock *tp = tcp_of(sk);
	struct state *s = state_of(sk);

	make_up(sk, tp, s);
	tell(tp, s, new_state);
	return 0;
}

HOOK(cwnd_event)
int westwood_cwnd_event(unsigned long long *ctx)
{
	struct sock *sk = ARGUMENT(struct sock *, 0);

	if (ARGUMENT(u32, 1) == CA_EVENT_COMPLETE_CWR)
		complete(tcp_of(sk), state_of(sk));
	return 0;
}

HOOK(undo_cwnd)
u32 westwood_undo_cwnd(unsigned long long *ctx)
{
	struct sock *sk = ARGUMENT(struct sock *, 0);
	struct tcp_sock *tp = tcp_of(sk);
	struct state *s = state_of(sk);
	struct event e;

	event_begin(&e, tp, s, EVENT_UNDO);
	e.input[0] = tp->prior_cwnd;
	e.new_cwnd = controller_undone(s, e.cwnd, e.input[0]);
	event_end(&e, s);
	return e.new_cwnd;
}

/* Any user may choose it, and any network namespace have it as its default: as with bbr. */
#define TCP_CONG_NON_RESTRICTED 1

/* Registers the controller under a name; the map is named alike. */
#define REGISTER(controller)                                     \
	SEC(".struct_ops")                                       \
	struct tcp_congestion_ops controller = {                 \
		.name = #controller,                             \
		.flags = TCP_CONG_NON_RESTRICTED,                \
		.init = (void *)westwood_init,                   \
		.release = (void *)westwood_release,             \
		.ssthresh = (void *)westwood_ssthresh,           \
		.cong_avoid = (void *)westwood_cong_avoid,       \
		.set_state = (void *)westwood_set_state,         \
		.cwnd_event = (void *)westwood_cwnd_event,       \
		.pkts_acked = (void *)westwood_pkts_acked,       \
		.undo_cwnd = (void *)westwood_undo_cwnd,         \
	}

#endif
#endif
