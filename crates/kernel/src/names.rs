//! The names of the catalog's controllers in Linux.
//!
//! This is the one table of these names. Loading a controller, choosing one for a socket and reading
//! the one that a socket has all use it.

use westwood_cc::controllers::Choice;

/// A controller of the catalog in the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelName {
    /// The canonical name in the catalog.
    pub name: &'static str,
    /// The name that a socket asks for with `TCP_CONGESTION`.
    pub kernel: &'static str,
}

const fn called(name: &'static str, kernel: &'static str) -> KernelName {
    KernelName { name, kernel }
}

/// The most bytes of a name in the kernel: `TCP_CA_NAME_MAX` less the zero at the end.
pub const LONGEST_NAME: usize = 15;

/// This project's own controllers, which have to be loaded.
pub const OURS: [KernelName; 4] = [
    called("westwood", "westwood_2002"),
    called("westwood+", "westwood_plus"),
    called("westwood+probing", "westwood_probe"),
    called("log-westwood+", "log_westwood"),
];

/// The kernel's own controllers. A paper's controller and Linux's version of it share a name here,
/// since the kernel has only its version.
pub const STOCK: [KernelName; 21] = [
    called("reno", "reno"),
    called("reno-linux", "reno"),
    called("cubic", "cubic"),
    called("cubic-linux", "cubic"),
    called("bic", "bic"),
    called("bic-linux", "bic"),
    called("vegas", "vegas"),
    called("vegas-linux", "vegas"),
    called("bbr", "bbr"),
    called("westwood-linux", "westwood"),
    called("scalable", "scalable"),
    called("highspeed", "highspeed"),
    called("illinois", "illinois"),
    called("hybla", "hybla"),
    called("yeah", "yeah"),
    called("veno", "veno"),
    called("htcp", "htcp"),
    called("scalable-linux", "scalable"),
    called("highspeed-linux", "highspeed"),
    called("cdg", "cdg"),
    called("nv", "nv"),
];

impl KernelName {
    /// The kernel's version of a controller of the catalog, whatever its parameters.
    ///
    /// ```
    /// use westwood_cc::controllers::Choice;
    /// use westwood_kernel::KernelName;
    /// let kernel = |name| KernelName::of(&Choice::named(name).unwrap()).map(|c| c.kernel);
    /// assert_eq!(kernel("westwood+"), Some("westwood_plus"));
    /// assert_eq!(kernel("westwood-linux"), Some("westwood"));
    /// assert_eq!(kernel("compound"), None);
    /// ```
    pub fn of(choice: &Choice) -> Option<Self> {
        let name = choice.info().name;
        OURS.into_iter().chain(STOCK).find(|c| c.name == name)
    }

    /// The project's controller of this name in the kernel.
    pub fn ours(kernel: &str) -> Option<Self> {
        OURS.into_iter().find(|c| c.kernel == kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_controller_has_one_name_in_linux_but_those_that_it_lacks_and_dctcp() {
        let without: Vec<_> = Choice::all()
            .filter(|choice| KernelName::of(choice).is_none())
            .map(|choice| choice.info().name)
            .collect();
        // DCTCP's echo is the receiver's part, and receivers run the system's default.
        let none =
            ["compound", "dctcp", "prague", "bbr3", "copa", "pcc-vivace", "ledbat", "ledbat++"];
        assert_eq!(without, none);
        let mut names: Vec<_> = OURS.iter().chain(&STOCK).map(|c| c.name).collect();
        for name in &names {
            let found = Choice::named(name).map(|choice| choice.info().name);
            assert_eq!(found, Some(*name), "the canonical name");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), OURS.len() + STOCK.len());
    }

    #[test]
    fn names_of_ours_fit_the_kernel_and_are_not_those_of_its_own() {
        for ours in OURS {
            assert!(ours.kernel.len() <= LONGEST_NAME);
            assert!(STOCK.iter().all(|stock| stock.kernel != ours.kernel), "{}", ours.kernel);
            assert_eq!(KernelName::ours(ours.kernel), Some(ours));
        }
        assert_eq!(KernelName::ours("westwood"), None);
    }
}
