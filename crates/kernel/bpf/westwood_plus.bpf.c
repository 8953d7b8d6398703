/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* Westwood+: an estimate once a round-trip time, additive increase. */
#include "platform.h"

#include "once_per_rtt.h"
#include "additive.h"

#include "controller.h"
#include "hooks.h"

#ifdef WESTWOOD_HOST
#include "host.h"
#else
REGISTER(westwood_plus);
#endif
