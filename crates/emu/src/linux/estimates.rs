//! Bandwidth estimates, asked of a socket's controller.

use std::os::fd::BorrowedFd;

use westwood_cc::Rate;

/// Tells the bandwidth estimate of a socket's controller, if it has one and lets itself be asked: the
/// kernel's own way of asking ([`TCP_CC_INFO`]) is closed to controllers that are programs.
///
/// [`TCP_CC_INFO`]: https://man7.org/linux/man-pages/man7/tcp.7.html
pub type SocketEstimates<'a> = &'a (dyn Fn(BorrowedFd<'_>) -> Option<Rate> + Sync);
