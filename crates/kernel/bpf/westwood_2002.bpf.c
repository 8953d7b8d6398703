/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* Westwood (2002): an estimate at every ACK, additive increase. */
#include "platform.h"

#include "per_ack.h"
#include "additive.h"

#include "controller.h"
#include "hooks.h"

#ifdef WESTWOOD_HOST
#include "host.h"
#else
REGISTER(westwood_2002);
#endif
