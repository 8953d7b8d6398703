//! The default controller of a network namespace before one of ours was its default.
//!
//! Each controller has a map of these defaults, by the namespace's cookie, which the kernel gives to no
//! other namespace until a reboot: one namespace never gets the default of another.

use std::os::unix::net::UnixDatagram;

use libbpf_rs::{MapCore, MapFlags, MapHandle};
use nix::sys::socket::getsockopt;
use nix::{getsockopt_impl, libc, sockopt_impl};

use crate::controller::CONTROLLERS;
use crate::environment;
use crate::error::KernelError;
use crate::load::{self, Loaded};
use crate::status::{put, text};

/// Defaults where none is remembered: that of most kernels, and the one that all have.
const FALLBACKS: [&str; 2] = ["cubic", "reno"];

/// The default of this network namespace after one of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoredDefault {
    /// The one before.
    Earlier(String),
    /// Another one.
    Fallback {
        /// Its name.
        name: &'static str,
        /// The one before, which the kernel refuses now; none if none is remembered.
        refused: Option<String>,
    },
}

sockopt_impl!(
    /// The cookie of a socket's network namespace.
    NamespaceCookie,
    GetOnly,
    libc::SOL_SOCKET,
    libc::SO_NETNS_COOKIE,
    u64
);

/// The key of this network namespace.
fn cookie() -> Result<[u8; 8], KernelError> {
    let refused = |why: String| KernelError::Refused {
        step: "the cookie of this network namespace",
        why,
        log: String::new(),
    };
    let socket = UnixDatagram::unbound().map_err(|e| refused(e.to_string()))?;
    let cookie = getsockopt(&socket, NamespaceCookie).map_err(|e| refused(e.to_string()))?;
    Ok(cookie.to_ne_bytes())
}

/// Makes a controller the default of this network namespace, and remembers the one before. Where that is
/// one of ours, too, its own memory of this namespace is taken over.
pub(crate) fn make_default(loaded: &Loaded) -> Result<(), KernelError> {
    let cookie = cookie()?;
    let present = environment::default_controller()?;
    let ours = CONTROLLERS.iter().any(|c| c.name == present);
    let earlier = if ours { remembered(&present, cookie)? } else { Some(present) };
    if let Some(earlier) = earlier {
        let mut name = [0; 16];
        put(&mut name, &earlier);
        MapHandle::from_map_id(loaded.maps.prior)
            .and_then(|map| map.update(&cookie, &name, MapFlags::ANY))
            .map_err(|e| KernelError::Refused {
                step: "the memory of the default before",
                why: e.to_string(),
                log: String::new(),
            })?;
    }
    // Even if it has this name: an unloaded controller keeps its own.
    environment::set_default_controller(loaded.controller.name)
}

/// Puts back the default of this network namespace from before `name`, one of ours.
pub(crate) fn restore(name: &str) -> Result<RestoredDefault, KernelError> {
    let cookie = cookie()?;
    let earlier = remembered(name, cookie)?;
    let restored = match earlier {
        Some(earlier) if environment::set_default_controller(&earlier).is_ok() => {
            RestoredDefault::Earlier(earlier)
        }
        refused => RestoredDefault::Fallback { name: fall_back()?, refused },
    };
    for loaded in named(name)? {
        // It may not be there.
        let _ = MapHandle::from_map_id(loaded.maps.prior).and_then(|map| map.delete(&cookie));
    }
    Ok(restored)
}

fn fall_back() -> Result<&'static str, KernelError> {
    let [usual, last] = FALLBACKS;
    match environment::set_default_controller(usual) {
        Ok(()) => Ok(usual),
        Err(_) => environment::set_default_controller(last).map(|()| last),
    }
}

/// The default of a namespace before the controller of ours that is called `name`.
fn remembered(name: &str, cookie: [u8; 8]) -> Result<Option<String>, KernelError> {
    let look = |loaded: Loaded| {
        let map = MapHandle::from_map_id(loaded.maps.prior).ok()?;
        Some(text(&map.lookup(&cookie, MapFlags::ANY).ok()??))
    };
    Ok(named(name)?.find_map(look))
}

/// Those of a name: the registered one, then those that are kept.
fn named(name: &str) -> Result<impl Iterator<Item = Loaded>, KernelError> {
    Ok(load::loaded()?.into_iter().filter(move |l| l.controller.name == name))
}
