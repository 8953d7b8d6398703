/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* The same controllers run in the kernel and, for tests, in a program of the host. */
#ifndef WESTWOOD_PLATFORM_H
#define WESTWOOD_PLATFORM_H

#ifdef WESTWOOD_HOST

#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;

#include "state.h"

#define SUBPROGRAM static __attribute__((noinline))

static struct params params;

#else

#include "kernel.h"
#include "state.h"

/* A global function: verified once, whatever its arguments. */
#define SUBPROGRAM __noinline

/* Set before loading; the verifier sees constants and drops the branches not taken. */
const volatile struct params params = {};

#endif

#include "units.h"

#endif
