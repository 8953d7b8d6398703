/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * The integer primitives that carry every formula, as in crates/cc/src/math.rs.
 *
 * eBPF has no floating point, no 128-bit arithmetic and no signed division, so nothing here needs
 * them. No divisor is ever zero: eBPF would answer 0 and the host would stop.
 */
#ifndef WESTWOOD_MATH_H
#define WESTWOOD_MATH_H

#define U64_MAX (~0ULL)

static inline u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* Arithmetic saturates, as it does in Rust's types. */

static inline u64 add_sat(u64 a, u64 b)
{
	return a + b < a ? U64_MAX : a + b;
}

static inline u64 sub_sat(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static inline u64 mul_sat(u64 a, u64 b)
{
	u64 limit;

	/* Two words of 32 bits always fit; only else does the test cost a division. */
	if (((a | b) >> 32) == 0)
		return a * b;
	if (a == 0)
		return 0;
	limit = U64_MAX / a;
	/* Hides the test from clang, which would make a 128-bit product of it. */
	asm volatile("" : "+r"(limit));
	return b > limit ? U64_MAX : a * b;
}

/* floor(a num / den), exact while num den <= 2^64 and the result fits a word. */
static inline u64 scale(u64 a, u64 num, u64 den)
{
	return add_sat(mul_sat(a / den, num), (a % den) * num / den);
}

/* floor(x f / 2^32): the product of two numbers with 32 fractional bits. */
static inline u64 mul_q32(u64 x, u64 f)
{
	u64 high = x >> 32, low = x & 0xffffffff;

	return add_sat(add_sat(mul_sat(high, f), low * (f >> 32)),
		       (low * (f & 0xffffffff)) >> 32);
}

/* x / w with 32 fractional bits, for w of at least 1 and x of at most 2^24 segments. */
static inline u64 over(u64 x, u64 w)
{
	if (x >> 38 == 0)
		return (x << 26) / (w >> 6);
	if (w >> 44 == 0)
		return mul_q32(x, U64_MAX / w);
	return (x << 8) / (w >> 24);
}

#endif
