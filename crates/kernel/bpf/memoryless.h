/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* An increase that depends on the window alone remembers nothing. */
#ifndef WESTWOOD_MEMORYLESS_H
#define WESTWOOD_MEMORYLESS_H

static inline void increase_init(struct state *s)
{
	(void)s;
}

static inline void increase_ack(struct state *s, const struct ack *ack)
{
	(void)s;
	(void)ack;
}

static inline void increase_reduced(struct state *s, u32 before, enum cause cause)
{
	(void)s;
	(void)before;
	(void)cause;
}

static inline void increase_undone(struct state *s)
{
	(void)s;
}

#endif
