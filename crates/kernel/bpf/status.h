/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * The status of a loaded controller, and how it is read.
 *
 * The loader writes `struct status` before it registers the controller, and finds it again by the
 * map's name and the magic number; it names the other maps. Each map is written by one side only.
 * crates/kernel/src/status.rs reads the same bytes.
 */
#ifndef WESTWOOD_STATUS_H
#define WESTWOOD_STATUS_H

struct status {
	u64 magic;
	u32 version;
	u32 struct_ops_id;		/* the map that registers the controller */
	u32 counts_id;
	u32 rings_id;
	u32 listen_id;
	u32 prior_id;
	char name[16];
	char spec[512];			/* the controller with its parameters, in words */
};

/* Written by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct status);
} westwood_status SEC(".maps");

/*
 * The default controller of a network namespace before one of ours was its default, by the namespace's
 * cookie, which no other namespace ever has. Written by the loader.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, char[16]);
} westwood_prior SEC(".maps");

struct counts {
	u32 opened;			/* connections so far */
	u32 users;			/* connections at present */
	u64 lost;			/* events that found the recorder's ring full */
	u64 made_up;			/* reductions and recoveries that the kernel did not tell */
};

/* Written by the programs. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct counts);
} westwood_counts SEC(".maps");

/*
 * Written by the recorder: until when it listens, on the kernel's monotonic clock. It prolongs the
 * time as long as it lives, so that a recorder that was killed is not written to for long.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} westwood_listen SEC(".maps");

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

/* The recorder's ring, while there is one. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct ring);
} westwood_rings SEC(".maps");

static inline struct counts *counts(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&westwood_counts, &zero);
}

/* The kernel keeps the maps that a program uses: without this use the loader's maps would go. */
static inline void keep_status(void)
{
	u32 zero = 0;
	u64 none = 0;

	bpf_map_lookup_elem(&westwood_status, &zero);
	bpf_map_lookup_elem(&westwood_prior, &none);
}

/* Counts a new connection and numbers it, from 1 on; 0 is none. */
static inline u32 count_opened(void)
{
	struct counts *it = counts();

	if (!it)
		return 0;
	__sync_fetch_and_add(&it->users, 1);
	return __sync_fetch_and_add(&it->opened, 1) + 1;
}

static inline void count_closed(void)
{
	struct counts *it = counts();

	if (it)
		__sync_fetch_and_add(&it->users, -1);
}

static inline void count_made_up(void)
{
	struct counts *it = counts();

	if (it)
		__sync_fetch_and_add(&it->made_up, 1);
}

/* Passes an event to the recorder, if one listens. */
static inline void record(struct event *event)
{
	struct counts *it;
	u32 zero = 0;
	u64 *until;
	void *ring;

	until = bpf_map_lookup_elem(&westwood_listen, &zero);
	if (!until || *until == 0 || bpf_ktime_get_ns() > *until)
		return;
	ring = bpf_map_lookup_elem(&westwood_rings, &zero);
	if (!ring || bpf_ringbuf_output(ring, event, sizeof(*event), 0) == 0)
		return;
	it = counts();
	if (it)
		__sync_fetch_and_add(&it->lost, 1);
}

#endif
