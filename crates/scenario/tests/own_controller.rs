//! A controller from outside has a name, runs and keeps its state: the template `examples/own-controller`.

#[path = "../../../examples/own-controller/src/own.rs"]
#[expect(unreachable_pub, reason = "the template's main file uses it")]
mod own;

use own::Patient;
use westwood_cc::controller::{
    Ack, Cause, ControlScope, Controller, Grant, LostSegment, Reduction, Setup, Window,
};
use westwood_cc::controllers::Info;
use westwood_cc::own::{OwnController, StateWords, entry};
use westwood_cc::{Duration, Instant, Rate};
use westwood_scenario::file::Scenario;
use westwood_scenario::spec::{ControllerSpec, head_of_own, register, register_anew, registered};

#[test]
fn a_registered_controller_runs_by_its_name() {
    assert!(ControllerSpec::parse("patient").is_err(), "not registered yet");
    let file = include_str!("../../../examples/own-controller/src/own.rs");
    register(entry::<Patient>(), file).unwrap();
    let again = register(entry::<Patient>(), file).unwrap_err().to_string();
    assert!(again.contains("there is a controller 'patient' already"), "{again}");
    register_anew(entry::<Patient>(), "//! Renewed").unwrap();
    assert_eq!(head_of_own("patient").unwrap(), "Renewed");
    let licensed = "// SPDX-License-Identifier: MIT\n\n//! # Renewed\n//!\n//! Again\n\nmod a;\n";
    register_anew(entry::<Patient>(), licensed).unwrap();
    assert_eq!(head_of_own("patient").unwrap(), "# Renewed\n\nAgain");
    register_anew(entry::<Patient>(), "mod a;\n").unwrap();
    assert_eq!(head_of_own("patient"), None, "a card says so");
    register_anew(entry::<Patient>(), file).unwrap();
    let names: Vec<_> = registered().iter().map(|choice| choice.info().name).collect();
    assert_eq!(names, ["patient"]);
    assert_eq!(ControllerSpec::parse("patient").unwrap().to_string(), "patient");
    assert!(ControllerSpec::parse("patient(beta=0.5)").is_err(), "it has no parameters");
    assert!(head_of_own("patient").unwrap().starts_with("# Patient"));

    let text = "cc = [\"patient\", \"reno\"]\ntime = \"60 s\"\nwarmup = \"20 s\"\n\
                dumbbell = { rate = \"10 Mbit/s\", buffer = \"0.2 bdp\" }\n";
    let none = |_: &std::path::Path| Err("there are no files".to_owned());
    let scenario = Scenario::parse("f.toml", text, &[], &none).unwrap();
    let delivered = |point: usize| {
        let built = scenario.build(&scenario.points()[point], 1).unwrap();
        westwood_sim::run(&built.network).unwrap().flows[0].delivered_bytes
    };
    // Four fifths of the window fill a path with little buffer better than its half: so the state is kept.
    assert!(delivered(0) > delivered(1), "{} and {}", delivered(0), delivered(1));
}

/// Patient under names of its own: with an alias that Reno has, or as no controller can be named.
struct Renamed<const TAKEN: bool>(Patient);

impl<const TAKEN: bool> OwnController for Renamed<TAKEN> {
    const INFO: Info = if TAKEN {
        Info { name: "serene", aliases: &["calm", "newreno"], ..Patient::INFO }
    } else {
        Info { name: "my_htcp", ..Patient::INFO }
    };

    fn new(setup: &Setup) -> Self {
        Self(Patient::new(setup))
    }

    fn load(state: &StateWords) -> Self {
        Self(Patient::load(state))
    }

    fn save(&self) -> StateWords {
        self.0.save()
    }
}

impl<const TAKEN: bool> Controller for Renamed<TAKEN> {
    fn measure(&mut self, ack: &Ack) {
        self.0.measure(ack);
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        self.0.grow(w, grant)
    }

    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        self.0.reduce(w, cause, now)
    }

    fn lost(&mut self, segment: &LostSegment) {
        self.0.lost(segment);
    }

    fn recovered(&mut self, w: Window, now: Instant) -> Window {
        self.0.recovered(w, now)
    }

    fn undone(&mut self, now_w: Window, before: Window, now: Instant) -> Window {
        self.0.undone(now_w, before, now)
    }

    fn restarted(&mut self, w: Window, idle: Duration, now: Instant) -> Window {
        self.0.restarted(w, idle, now)
    }

    fn control_scope(&self) -> ControlScope {
        self.0.control_scope()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.0.pacing_rate()
    }

    fn bwe(&self) -> Option<Rate> {
        self.0.bwe()
    }
}

#[test]
fn an_alias_that_another_controller_has_is_refused() {
    let fault = register(entry::<Renamed<true>>(), "").expect_err("reno is called newreno, too");
    assert!(fault.to_string().contains("there is a controller 'newreno' already"), "{fault}");
    assert!(["serene", "calm"].iter().all(|name| ControllerSpec::parse(name).is_err()));
}

#[test]
fn a_name_that_no_list_of_controllers_can_have_is_refused() {
    let fault =
        register(entry::<Renamed<false>>(), "").expect_err("my_htcp is looked for as my-htcp");
    assert!(fault.to_string().contains("'my_htcp' cannot name a controller"), "{fault}");
}
