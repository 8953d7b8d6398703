//! `westwood kernel list|status|load|unload`.

use westwood_cc::modifiers::Modifiers;
use westwood_kernel::load::{self, LoadOutcome, Loaded, RestoredDefault, Unloaded};
use westwood_kernel::{CONTROLLERS, KernelController, KernelError, environment};
use westwood_report::table::wrapped;
use westwood_scenario::spec::ControllerSpec;

use crate::args::{KernelLoadArgs, KernelUnloadArgs};
use crate::exit::Stop;
use crate::output::{print, tell};
use crate::terminal::style;

/// The kernel's version of a controller that the user named.
pub(super) fn named(name: &str) -> Result<KernelController, Stop> {
    KernelController::named(name).map_err(Stop::bad_input)
}

/// The controllers of this kernel. Facts that only root may know are left out for other users.
pub(super) fn list() -> Result<(), Stop> {
    let available = environment::available()?;
    let default = environment::default_controller()?;
    let ready = environment::ready();
    let loaded = load::loaded().unwrap_or_default();
    let mut lines = vec![
        format!("Linux {}, default {default}\n", environment::release()?),
        format!("{:<16} {:<18} {}", "controller", "in the simulator", "here"),
    ];
    for controller in CONTROLLERS {
        let ours = loaded.iter().any(|l| l.registered && l.controller == controller);
        let here = match available.iter().any(|name| name == controller.name) {
            true if ours => "loaded",
            true => "loaded (write sudo to see by whom)",
            false => "-",
        };
        lines.push(format!("{:<16} {:<18} {here}", controller.name, controller.simulated));
    }
    let own = available.iter().filter(|name| CONTROLLERS.iter().all(|c| c.name != name.as_str()));
    lines.extend(own.map(|name| format!("{name:<16} {:<18} the kernel's own", "-")));
    lines.push(match ready {
        Ok(()) => "\nControllers can be loaded here.\n".to_owned(),
        Err(error) => format!("\nNothing can be loaded: {error}\n"),
    });
    print(&lines.join("\n"))
}

/// The loaded controllers.
pub(super) fn status() -> Result<(), Stop> {
    let loaded = load::loaded()?;
    if loaded.is_empty() {
        return print("No controller is loaded.\n");
    }
    let mut lines = vec![format!(
        "{:<16} {:<10} {:>11} {:>8}  {}",
        "controller", "state", "connections", "so far", "parameters"
    )];
    for l in &loaded {
        let state = match (l.registered, l.is_default) {
            (true, true) => "default",
            (true, false) => "loaded",
            (false, _) => "leaving",
        };
        lines.push(format!(
            "{:<16} {state:<10} {:>11} {:>8}  {}",
            l.controller.name, l.users, l.opened, l.spec
        ));
    }
    lines.extend(loaded.iter().filter(|l| l.made_up > 0).map(|l| {
        format!(
            "{}: {} changes of state that this kernel did not tell; the controller made up for them",
            l.controller.name, l.made_up
        )
    }));
    let kept = loaded.iter().filter(|l| !l.registered && l.holders > 0);
    lines.extend(kept.map(|l| {
        let text = format!(
            "{} is unloaded, but {}, and new connections still get it there: docs/how-to/kernel.md",
            l.controller.name,
            held(l.holders)
        );
        wrapped(&text, style().width)
    }));
    print(&format!("{}\n", lines.join("\n")))
}

pub(super) fn load(args: &KernelLoadArgs) -> Result<(), Stop> {
    let controller = named(&args.name)?;
    let spec = if args.set.is_empty() {
        controller.simulated.to_owned()
    } else {
        format!("{}({})", controller.simulated, args.set.join(","))
    };
    let spec = ControllerSpec::parse(&spec).map_err(|e| Stop::bad_input(format!("--set: {e}")))?;
    if spec.modifiers != Modifiers::default() {
        let what = "--set: slow_start and beta_ecn are the simulator's: the program has neither";
        return Err(Stop::bad_input(what));
    }
    let loading = load::load(&controller, &spec, args.default)?;
    print(&format!("{}\n", answer(controller.name, &spec, loading, args.default, style().width)))
}

/// The answer of `load`.
fn answer(
    name: &str,
    spec: &ControllerSpec,
    loading: LoadOutcome,
    default: bool,
    width: usize,
) -> String {
    let loaded = match loading {
        LoadOutcome::New => format!("{name} is loaded, as {spec}."),
        LoadOutcome::Already => format!("{name} was loaded already, as {spec}."),
    };
    let used = if default {
        "New sockets of this network namespace use it."
    } else {
        "Sockets use it if they choose it, or after westwood kernel load --default."
    };
    wrapped(&format!("{loaded} {used}"), width)
}

pub(super) fn unload(args: &KernelUnloadArgs) -> Result<(), Stop> {
    let wanted = args.name.as_deref().map(named).transpose()?;
    let mut chosen = load::loaded()?;
    chosen.retain(|l| wanted.is_none_or(|wanted| wanted == l.controller));
    // The default of this network namespace may be one that was unloaded elsewhere.
    chosen.retain(|l| l.registered || l.is_default);
    if chosen.is_empty() {
        let error = wanted.map_or(KernelError::NothingLoaded, |c| KernelError::NotLoaded(c.name));
        return Err(error.into());
    }
    for l in &chosen {
        let unloaded = load::unload(l)?;
        print(&format!("{}\n", departure(l, &unloaded, style().width)))?;
        if let Some(RestoredDefault::Fallback { name, refused }) = unloaded.default {
            let why = match refused {
                Some(refused) => format!("the kernel refuses {refused}, the one before"),
                None => format!("none is remembered from before {}", l.controller.name),
            };
            tell(format_args!(
                "warning: the default of this network namespace is {name} now, since {why}; \
                 sysctl -w net.ipv4.tcp_congestion_control=NAME sets another"
            ));
        }
    }
    Ok(())
}

/// The answer of `unload`.
fn departure(loaded: &Loaded, unloaded: &Unloaded, width: usize) -> String {
    let name = loaded.controller.name;
    let mut sentences = vec![if loaded.registered {
        format!("{name} is unloaded.")
    } else {
        format!("{name} was unloaded before.")
    }];
    if let Some(RestoredDefault::Earlier(default)) = &unloaded.default {
        sentences.push(format!("The default of this network namespace is {default} again."));
    }
    match unloaded.users {
        0 => {}
        1 => sentences.push("1 connection uses it until it ends.".to_owned()),
        n => sentences.push(format!("{n} connections use it until they end.")),
    }
    if unloaded.holders > 0 {
        sentences.push(format!(
            "{}, and new connections still get it there. In another network namespace, ip netns exec \
             NAME westwood kernel unload {name} restores the default; a listener lets go when its \
             program ends.",
            held(unloaded.holders)
        ));
    }
    wrapped(&sentences.join(" "), width)
}

/// The references that are no connections, as the beginning of a sentence.
fn held(holders: u32) -> String {
    match holders {
        1 => "1 default of a network namespace or unconnected socket holds it".to_owned(),
        n => format!("{n} defaults of network namespaces or unconnected sockets hold it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_load_is_folded() {
        let spec = ControllerSpec::parse("westwood+").unwrap();
        let text = answer("westwood_plus", &spec, LoadOutcome::New, false, 80);
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    }
}
