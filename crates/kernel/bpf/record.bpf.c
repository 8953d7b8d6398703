/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * Listens at a controller's westwood_event() and passes every event to user space. One copy is
 * attached to each program of the controller; they share the ring. It is detached when the recorder
 * ends, however it ends.
 */
#include "kernel.h"
#include "event.h"

char _license[] SEC("license") = "Dual MIT/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 24);
} westwood_ring SEC(".maps");

/* Events that found the ring full. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} westwood_lost SEC(".maps");

SEC("fentry/westwood_event")
int westwood_record(unsigned long long *ctx)
{
	const void *event = (const void *)ctx[0];
	struct event *room = bpf_ringbuf_reserve(&westwood_ring, sizeof(*room), 0);
	u32 zero = 0;

	if (!room) {
		u64 *lost = bpf_map_lookup_elem(&westwood_lost, &zero);

		if (lost)
			__sync_fetch_and_add(lost, 1);
		return 0;
	}
	if (bpf_probe_read_kernel(room, sizeof(*room), event) < 0)
		room->kind = 0;
	bpf_ringbuf_submit(room, 0);
	return 0;
}
