/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * The part of the kernel's types that the programs use.
 *
 * CO-RE finds each field by its name in the running kernel's BTF, so neither the order nor the
 * neighbours of these fields matter.
 */
#ifndef WESTWOOD_KERNEL_H
#define WESTWOOD_KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
};

/* A map's memory is allocated entry by entry. */
enum {
	BPF_F_NO_PREALLOC = 1,
};

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	union {
		__be32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	u16 skc_family;
	volatile u8 skc_state;
	__be16 skc_dport;
	u16 skc_num;
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	u32 sk_pacing_status;
};

struct tcp_congestion_ops;

struct inet_connection_sock {
	const struct tcp_congestion_ops *icsk_ca_ops;
	u8 icsk_ca_state : 5;
	u8 icsk_ca_initialized : 1;
	u64 icsk_ca_priv[13];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 mss_cache;
	u64 tcp_mstamp;
	u32 srtt_us;
	u32 snd_una;
	u32 snd_nxt;
	u32 snd_cwnd;
	u32 snd_cwnd_cnt;
	u32 snd_cwnd_clamp;
	u32 snd_ssthresh;
	u32 prior_cwnd;
	u32 delivered;
	u32 max_packets_out;
	u32 total_retrans;
	u32 packets_out;
	u64 bytes_acked;
	u8 is_cwnd_limited : 1;
};

struct ack_sample {
	u32 pkts_acked;
	s32 rtt_us;
};

enum tcp_ca_event {
	CA_EVENT_TX_START,
	CA_EVENT_CWND_RESTART,
	CA_EVENT_COMPLETE_CWR,
	CA_EVENT_LOSS,
};

struct tcp_congestion_ops {
	char name[16];
	u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event ev);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*undo_cwnd)(struct sock *sk);
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct file;

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	u32 fd;
	struct file *file;
};

/* The kernel's `struct socket`: CO-RE leaves out what follows three underscores. */
struct socket___of_file {
	struct sock *sk;
};

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
};

#pragma clang attribute pop

#endif
