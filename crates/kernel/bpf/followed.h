/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* A followed socket. crates/kernel/src/estimate.rs reads the same bytes. */
#ifndef WESTWOOD_FOLLOWED_H
#define WESTWOOD_FOLLOWED_H

struct followed {
	u64 number;
	char controller[16];
	u64 bwe;		/* of one of our controllers, else meaningless */
};

#endif
