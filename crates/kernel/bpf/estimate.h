/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* A TCP socket of the reader. crates/kernel/src/estimate.rs reads the same bytes. */
#ifndef WESTWOOD_ESTIMATE_H
#define WESTWOOD_ESTIMATE_H

struct estimate {
	u64 fd;
	char controller[16];
	u64 bwe;		/* of one of our controllers, else meaningless */
};

#endif
