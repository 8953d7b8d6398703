/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* LogWestwood+: Westwood+ with logarithmic increase. */
#include "platform.h"

#include "once_per_rtt.h"
#include "logarithmic.h"

#include "controller.h"
#include "hooks.h"

#ifdef WESTWOOD_HOST
#include "host.h"
#else
REGISTER(log_westwood);
#endif
