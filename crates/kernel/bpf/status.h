/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * What a loaded controller says of itself: the loader writes it before it registers the controller,
 * and finds it again by the map's name and the magic number. crates/kernel/src/layout.rs reads the
 * same bytes.
 */
#ifndef WESTWOOD_STATUS_H
#define WESTWOOD_STATUS_H

struct status {
	u64 magic;
	u32 version;
	u32 struct_ops_id;		/* the map that registers the controller */
	char name[16];
	char previous_default[16];	/* to be put back on unloading; empty if unchanged */
	u32 opened;			/* connections so far */
	u32 users;			/* connections at present */
	char spec[512];			/* the controller with its parameters, in words */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct status);
} westwood_status SEC(".maps");

static inline struct status *status(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&westwood_status, &zero);
}

/* Counts a new connection and numbers it. */
static inline u32 status_opened(void)
{
	struct status *it = status();

	if (!it)
		return 0;
	__sync_fetch_and_add(&it->users, 1);
	return __sync_fetch_and_add(&it->opened, 1);
}

static inline void status_closed(void)
{
	struct status *it = status();

	if (it)
		__sync_fetch_and_add(&it->users, -1);
}

#endif
