/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* Westwood+ with multiplicative probing. */
#include "platform.h"

#include "once_per_rtt.h"
#include "probing.h"

#include "controller.h"
#include "hooks.h"

#ifdef WESTWOOD_HOST
#include "host.h"
#else
REGISTER(westwood_probe);
#endif
