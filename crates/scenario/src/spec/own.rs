//! Controllers from outside: the names that a program has registered.

use std::sync::{Mutex, PoisonError};

use westwood_cc::controllers::{Choice, Info};
use westwood_cc::own::{OwnChoice, OwnVerbs};

use crate::error::{BadInput, quoted};

/// The registered ones, each with the text of its file.
static REGISTERED: Mutex<Vec<(OwnChoice, &'static str)>> = Mutex::new(Vec::new());

/// Makes a controller from outside known by its name, with the text of its file, whose head a scorecard
/// shows. To be called before anything is read.
///
/// # Errors
/// If a controller has one of its names already, or if a name cannot be written where controllers are named.
pub fn register(entry: &'static dyn OwnVerbs, file: &'static str) -> Result<(), BadInput> {
    let mut all = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_taken = |name: &str| {
        let is_so = |info: &Info| info.name == name || info.aliases.contains(&name);
        Choice::named(name).is_some() || all.iter().any(|(known, _)| is_so(known.0.info()))
    };
    let info = entry.info();
    let names = || std::iter::once(info.name).chain(info.aliases.iter().copied());
    if let Some(name) = names().find(|name| !is_written(name)) {
        let what = format!("{} cannot name a controller", quoted(name));
        return Err(BadInput::new(what).hint("write small letters, digits, '-', '+' and '.'"));
    }
    if let Some(name) = names().find(|name| is_taken(name)) {
        let what = format!("there is a controller {} already", quoted(name));
        return Err(BadInput::new(what).hint("give yours another name"));
    }
    all.push((OwnChoice(entry), file));
    Ok(())
}

/// True of a name as controllers are looked for: in small letters, with `-` and not with `_`.
fn is_written(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-+.".contains(c);
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain)
}

/// The same of a controller whose host may describe it again, as an interpreter does: it takes the place of
/// an earlier one of its name.
///
/// # Errors
/// If the catalog has a controller of that name.
pub fn register_anew(entry: &'static dyn OwnVerbs, file: &'static str) -> Result<(), BadInput> {
    let name = entry.info().name;
    if Choice::named(name).is_none() {
        let mut all = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, _)| known.0.info().name != name);
    }
    register(entry, file)
}

/// The registered controller of this name or alias.
pub(crate) fn registered_named(name: &str) -> Option<OwnChoice> {
    let all = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_so = |info: &Info| info.name == name || info.aliases.contains(&name);
    all.iter().find(|(own, _)| is_so(own.0.info())).map(|(own, _)| *own)
}

/// The registered controllers, in the order in which they came.
pub fn registered() -> Vec<Choice> {
    let all = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter().map(|(own, _)| Choice::Own(*own)).collect()
}

/// The text that the file of a registered controller opens with: its `//!` lines, behind a licence's or any
/// other lines; none without such lines.
pub fn head_of_own(name: &str) -> Option<String> {
    let all = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    let (_, file) = all.iter().find(|(own, _)| own.0.info().name == name)?;
    let lines = file.lines().skip_while(|line| !line.starts_with("//!"));
    let lines = lines.map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
