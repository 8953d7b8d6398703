/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * Rates and windows, as in crates/cc/src/units.rs.
 *
 *   time     ns
 *   rate     byte/s with 16 fractional bits
 *   window   segments with 32 fractional bits, at most 2^24 segments
 */
#ifndef WESTWOOD_UNITS_H
#define WESTWOOD_UNITS_H

#include "math.h"

#define NS_PER_S 1000000000ULL
#define NS_PER_US 1000ULL
/* Where bandwidth samples saturate: 2^46 byte/s. */
#define MAX_SAMPLE (1ULL << 62)

#define ONE_SEGMENT (1ULL << 32)
#define TWO_SEGMENTS (2ULL << 32)
#define MAX_SEGMENTS (1ULL << 56)

/* n whole segments. */
static inline u64 segments(u64 n)
{
	return n >= 1ULL << 24 ? MAX_SEGMENTS : n << 32;
}

static inline u64 whole(u64 window)
{
	return window >> 32;
}

static inline u64 window_add(u64 a, u64 b)
{
	return min_u64(a + b, MAX_SEGMENTS);
}

/* a / w for two windows; w counts as at least one segment. */
static inline u64 window_over(u64 a, u64 w)
{
	return over(a, max_u64(w, ONE_SEGMENT));
}

/*
 * The rate that moves `data` bytes in `ns`; `*none` is set for no time at all.
 *
 * Spans above 2^34 ns lose their low 8 bits, and the data likewise, so that no product overflows.
 */
static inline u64 bytes_per(u64 data, u64 ns, int *none)
{
	u64 product, bytes_per_s, fraction;

	/* A word shrinks below 2^34 in four steps. */
	for (int i = 0; i < 4; i++) {
		if (ns < 1ULL << 34)
			break;
		data >>= 8;
		ns >>= 8;
	}
	*none = ns == 0;
	if (ns == 0)
		return 0;
	if (data / ns > (MAX_SAMPLE >> 16) / NS_PER_S)
		return MAX_SAMPLE;
	product = (data % ns) * NS_PER_S;
	bytes_per_s = data / ns * NS_PER_S + product / ns;
	fraction = ((product % ns) << 16) / ns;
	return min_u64((bytes_per_s << 16) + fraction, MAX_SAMPLE);
}

/* The papers' pipe(B) = B Rmin / S: what a rate moves in `ns`, in segments of `smss` bytes. */
static inline u64 pipe(u64 rate, u64 ns, u64 smss)
{
	/* 2^37 byte/s and 2^34 ns keep every product within a word. */
	u64 data = scale(min_u64(rate, 1ULL << 53), min_u64(ns, 1ULL << 34), NS_PER_S);

	if (smss == 0 || (data >> 16) / smss >= 1ULL << 24)
		return MAX_SEGMENTS;
	return scale(data, 1 << 8, smss) << 8;
}

#endif
