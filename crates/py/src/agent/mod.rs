//! Learning agents: episodes that go on step by step, and policies that act within a run.
//!
//! Both show an agent the same ([`view`]) at the same instants, so that a policy does in a comparison as it
//! did in its environment, to the bit.

mod episode;
mod policy;
mod view;

pub(crate) use episode::NativeEpisode;
pub(crate) use policy::Policy;
pub(crate) use view::step;
