//! The parts of a path's model that both versions of BBR have.
//!
//! * [`Bw`]: a bandwidth, and the gains (in units of [`UNIT`]) that multiply it.
//! * [`Plateau`]: the rounds in which the bandwidth no longer grows, the sign of a full pipe.
//! * [`Limited`]: the deliveries that a controller's own small window limits.
//!
//! [Rounds](crate::rounds), [windowed extremes](crate::windowed_extreme) and the transport's
//! [delivery-rate samples](crate::DeliverySample) belong to any model.

mod bandwidth;
mod limited;
mod plateau;

pub(crate) use bandwidth::{Bw, UNIT};
pub(crate) use limited::Limited;
pub(crate) use plateau::Plateau;
