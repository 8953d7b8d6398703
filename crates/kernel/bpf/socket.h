/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* A TCP socket as the watcher sees it. crates/kernel/src/watch.rs reads the same bytes. */
#ifndef WESTWOOD_SOCKET_H
#define WESTWOOD_SOCKET_H

struct socket {
	char controller[16];
	u64 bytes_acked;
	u32 local[4];		/* addresses in network order, IPv4 in the first word */
	u32 remote[4];
	u32 family;
	u32 local_port;
	u32 remote_port;
	u32 tcp_state;
	u32 cwnd;
	u32 cwnd_cnt;
	u32 ssthresh;
	u32 srtt_us;
	u32 total_retrans;
	u32 in_flight;
	struct state state;	/* of one of our controllers, else meaningless */
};

#endif
