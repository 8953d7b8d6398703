//! How fast the simulator is: its parts, whole networks, and the same networks in ns-2 and ns-3.
//!
//! * [`networks`]: the networks P1 to P4.
//! * [`parts`]: what the engine is made of, each part alone.
//!
//! Speed is measured here and asserted nowhere. `docs/evidence/performance.md` tells how and what came of it.

pub mod networks;
pub mod parts;
