//! The names of the catalog's controllers in Linux.
//!
//! This is the one table of these names. Loading a controller, choosing one for a socket and reading
//! the one that a socket has all use it.

use std::fmt;

use westwood_cc::controllers::Choice;
use westwood_scenario::spec::{ControllerSpec, split_list};
use westwood_scenario::{BadInput, nearest};

use crate::error::KernelError;

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

/// A controller for connections of the kernel, as a user names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChosenController {
    /// The canonical name in the catalog; of a controller that is not in [`OURS`] or [`STOCK`] the name
    /// that the user gave.
    pub name: String,
    /// The kernel's name.
    pub kernel: String,
}

/// A name that no controller of the kernel can be chosen by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoController {
    /// The kernel cannot have such a name.
    Name(String),
    /// It has parentheses, as no name of the kernel has, and is no controller of the catalog: a wrong name
    /// or a wrong parameter.
    Call(BadInput),
    /// It has parameters.
    Parameters(String),
}

impl fmt::Display for NoController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(text) => write!(
                f,
                "'{}' is no name of a controller: the kernel's have at most {LONGEST_NAME} letters, \
                 digits, - and _",
                text.escape_debug()
            ),
            Self::Call(error) => error.fmt(f),
            Self::Parameters(text) => write!(
                f,
                "'{}' has parameters, which cannot be chosen for a connection of the kernel; leave \
                 them out",
                text.escape_debug()
            ),
        }
    }
}

impl std::error::Error for NoController {}

impl ChosenController {
    /// A controller by name, or by name and parameters if it is one of [`OURS`]: the program that is loaded
    /// with these.
    ///
    /// ```
    /// use westwood_kernel::ChosenController;
    /// let chosen = ChosenController::with_parameters("westwood+( tau = 1 s )").unwrap();
    /// assert_eq!((chosen.name.as_str(), chosen.kernel.as_str()), ("westwood+(tau=1s)", "westwood_plus"));
    /// assert!(ChosenController::with_parameters("bic(low_window=20)").is_err());
    /// ```
    pub fn with_parameters(text: &str) -> Result<Self, NoController> {
        let ours = ControllerSpec::parse(text.trim()).ok().and_then(|spec| {
            let known = KernelName::of(&spec.choice)?;
            KernelName::ours(known.kernel).map(|known| (spec.to_string(), known.kernel))
        });
        match ours {
            Some((name, kernel)) => Ok(Self { name, kernel: kernel.to_owned() }),
            None => Self::named(text),
        }
    }

    /// The command that gives the kernel this controller, as the end of an error.
    pub fn how_to_load(&self) -> String {
        match KernelName::ours(&self.kernel) {
            Some(_) => format!("load it first, as root: {}", self.load_command()),
            None => how_to_load(&self.kernel),
        }
    }

    /// The command that loads this controller of ours.
    fn load_command(&self) -> String {
        let parameters =
            self.name.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
        let parameters = split_list(parameters).unwrap_or_default();
        let set = parameters.iter().fold(String::new(), |set, given| set + " --set " + given);
        format!("westwood kernel load {}{set}", self.kernel)
    }

    /// Refuses this controller if the program that is loaded under its name has other parameters: the
    /// results would be those of another controller. `loaded` gives the kernel's name of each program that
    /// is registered, and the controller that it is.
    pub fn check_loaded<'l>(
        &self,
        mut loaded: impl Iterator<Item = (&'l str, &'l str)>,
    ) -> Result<(), KernelError> {
        let Some(ours) = KernelName::ours(&self.kernel) else { return Ok(()) };
        match loaded.find(|(name, _)| *name == ours.kernel) {
            Some((_, spec)) if spec != self.name => Err(KernelError::OtherParameters {
                name: ours.kernel,
                loaded: spec.to_owned(),
                asked: self.name.clone(),
                load: self.load_command(),
            }),
            _ => Ok(()),
        }
    }

    /// A controller by name. The catalog's names and their spellings mean its controllers, so that
    /// `westwood` is the one of 2002 and `westwood-linux` the kernel's own; any other name is the
    /// kernel's.
    ///
    /// ```
    /// use westwood_kernel::ChosenController;
    /// let kernel = |name| ChosenController::named(name).unwrap().kernel;
    /// assert_eq!(kernel("westwood-linux"), "westwood");
    /// assert_eq!(kernel("westwood"), "westwood_2002");
    /// assert_eq!(kernel("lp"), "lp");
    /// ```
    pub fn named(text: &str) -> Result<Self, NoController> {
        let wanted = text.trim();
        if let Ok(spec) = ControllerSpec::parse(wanted)
            && let Some(known) = KernelName::of(&spec.choice)
        {
            if spec.to_string() != known.name {
                return Err(NoController::Parameters(wanted.to_owned()));
            }
            return Ok(Self { name: known.name.to_owned(), kernel: known.kernel.to_owned() });
        }
        let usable = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if wanted.contains('(')
            && let Err(error) = ControllerSpec::parse(wanted)
        {
            return Err(NoController::Call(error));
        }
        if wanted.is_empty() || wanted.len() > LONGEST_NAME || !wanted.chars().all(usable) {
            return Err(NoController::Name(text.to_owned()));
        }
        Ok(Self { name: wanted.to_owned(), kernel: wanted.to_owned() })
    }
}

/// The command that gives the kernel a controller that it lacks, as the end of an error. The name is
/// the kernel's.
pub fn how_to_load(kernel: &str) -> String {
    let is_linux = STOCK.iter().any(|stock| stock.kernel == kernel) || kernel == "dctcp";
    if KernelName::ours(kernel).is_some() {
        format!("load it first, as root: westwood kernel load {kernel}")
    } else if !is_linux && Choice::named(kernel).is_some() {
        "no kernel of kernel.org has it; choose another".to_owned()
    } else {
        let load = format!("load its module first, as root: modprobe tcp_{kernel}");
        match nearest(kernel, STOCK.iter().map(|stock| stock.kernel)) {
            Some(near) if !is_linux => format!("did you mean {near}? If not, {load}"),
            _ => load,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_catalog_means_the_kernels_version_of_its_controller() {
        let kernel = |name: &str| ChosenController::named(name).ok().map(|c| c.kernel);
        for known in OURS.into_iter().chain(STOCK) {
            assert_eq!(kernel(known.name).as_deref(), Some(known.kernel));
            let choice = Choice::named(known.name).unwrap();
            for alias in choice.info().aliases {
                assert_eq!(kernel(alias).as_deref(), Some(known.kernel), "{alias}");
            }
        }
        for (name, expected) in [
            ("westwood", "westwood_2002"),
            ("westwood-linux", "westwood"),
            ("Westwood-Plus", "westwood_plus"),
            ("log-westwood", "log_westwood"),
            ("log_westwood", "log_westwood"),
            ("reno-linux", "reno"),
            ("dctcp", "dctcp"),
            ("lp", "lp"),
        ] {
            assert_eq!(kernel(name).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn a_name_that_no_kernel_can_have_and_parameters_are_refused() {
        for name in ["", "a b", "reno,cubic", "sixteen_letters_", "linux:westwood", "../x"] {
            let refused = ChosenController::named(name);
            assert_eq!(refused, Err(NoController::Name(name.to_owned())), "{name}");
        }
        let refused = ChosenController::named("westwood+(tau=1s)");
        assert!(matches!(refused, Err(NoController::Parameters(_))), "{refused:?}");
        let why = |text| ChosenController::with_parameters(text).unwrap_err().to_string();
        assert_eq!(
            why("westwood+(tau=0s)"),
            "westwood+: tau: '0s' is out of range; write a value from 1ms to 3.8s"
        );
        assert!(why("westwood+(tua=1s)").starts_with("westwood+: has no parameter 'tua'"));
        assert!(why("westwod+(tau=1s)").starts_with("unknown controller 'westwod+'"));
        assert!(why("westwood+(tau=1s").contains("does not end with ')'"));
        assert!(why("compound(").contains("does not end with ')'"));
        // It is a controller of the catalog, and Linux has none of it.
        assert!(why("compound()").contains("is no name of a controller"));
    }

    #[test]
    fn a_program_with_other_parameters_is_another_controller() {
        let check = |asked: &str, loaded: &[(&str, &str)]| {
            let chosen = ChosenController::with_parameters(asked).unwrap();
            chosen.check_loaded(loaded.iter().copied()).map_err(|error| error.to_string())
        };
        let plain = [("westwood_2002", "westwood"), ("westwood_plus", "westwood+")];
        let other = [("westwood_2002", "westwood"), ("westwood_plus", "westwood+(tau=1s)")];
        assert_eq!(check("westwood+", &plain), Ok(()));
        assert_eq!(check("westwood+(tau=1s)", &other), Ok(()));
        // It is not loaded: that is another refusal's. Those of Linux have no parameters.
        assert_eq!(check("westwood+", &[]), Ok(()));
        assert_eq!(check("westwood-linux", &other), Ok(()));
        let refused = "westwood_plus is loaded as westwood+(tau=1s), and westwood+ is asked for; ask for \
                       'westwood+(tau=1s)', or write westwood kernel unload westwood_plus and westwood \
                       kernel load westwood_plus";
        assert_eq!(check("westwood+", &other), Err(refused.to_owned()));
        let refused = check("westwood+(filter=a,tau=2s)", &other).unwrap_err();
        let load = "westwood kernel load westwood_plus --set filter=a --set tau=2s";
        assert!(refused.ends_with(load), "{refused}");
        let missing = ChosenController::with_parameters("westwood+(tau=2s)").unwrap();
        assert!(missing.how_to_load().ends_with("load westwood_plus --set tau=2s"));
    }

    #[test]
    fn a_missing_controller_is_loaded_by_the_command_that_has_it() {
        for (kernel, command) in [
            ("westwood_plus", "westwood kernel load westwood_plus"),
            ("westwood", "modprobe tcp_westwood"),
            ("illinois", "modprobe tcp_illinois"),
            ("dctcp", "modprobe tcp_dctcp"),
        ] {
            assert!(how_to_load(kernel).ends_with(command), "{}", how_to_load(kernel));
        }
        let load = "did you mean cubic? If not, load its module first, as root: modprobe tcp_cubik";
        assert_eq!(how_to_load("cubik"), load);
        for none in ["compound", "bbr3", "copa"] {
            assert!(!how_to_load(none).contains("modprobe"), "{none}");
        }
    }

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
