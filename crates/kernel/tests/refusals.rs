//! Objects that the running kernel refuses, and names that others have taken: each is a clear error.
#![cfg(feature = "load")]

#[path = "common/turn.rs"]
mod turn;

use std::fs::File;
use std::io::Write as _;

use libbpf_rs::{MapCore as _, ObjectBuilder};
use westwood_kernel::load;
use westwood_kernel::{KernelController, KernelError, environment};
use westwood_scenario::spec::ControllerSpec;

const NAME: &str = "westwood_plus";

/// The kernel, if this machine lets us have it and nobody has the name; else one line.
fn kernel() -> Option<File> {
    let turn = turn::turn();
    let why = match environment::ready().and_then(|()| environment::available()) {
        Err(error) => error.to_string(),
        Ok(names) if names.iter().any(|name| name == NAME) => format!("{NAME} is loaded"),
        Ok(_) => return Some(turn),
    };
    assert!(std::env::var_os("WESTWOOD_REQUIRE_KERNEL").is_none(), "needed: {why}");
    // Past the test harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
    None
}

fn loaded_as(object: &'static [u8]) -> Result<load::LoadOutcome, KernelError> {
    let controller = KernelController { object, ..KernelController::named(NAME).unwrap() };
    load::load(&controller, &ControllerSpec::parse("westwood+").unwrap(), false)
}

#[test]
fn a_name_that_somebody_else_has_is_left_to_him() {
    let Some(_kernel) = kernel() else { return };
    // The same programs, but registered by another loader, which describes nothing.
    let shipped = KernelController::named(NAME).unwrap().object;
    let mut object = ObjectBuilder::default().open_memory(shipped).unwrap().load().unwrap();
    let mut map = object.maps_mut().find(|map| map.name() == NAME).unwrap();
    let link = map.attach_struct_ops().unwrap();
    let refused = loaded_as(shipped);
    let found = load::find(&KernelController::named(NAME).unwrap());
    // Gone with its link, whatever the assertions below say.
    drop(link);
    let error = refused.unwrap_err();
    assert!(matches!(error, KernelError::NameTaken(NAME)) && !error.is_bad_input());
    assert!(error.to_string().contains("bpftool struct_ops unregister name westwood_plus"));
    assert!(matches!(found, Err(KernelError::NotLoaded(NAME))), "it is none of ours");
    assert!(environment::available().unwrap().iter().all(|name| name != NAME));
}

#[test]
fn programs_that_the_verifier_refuses_are_not_loaded_and_its_reason_is_said() {
    // Every exit becomes an assignment, so that all programs run on beyond their ends.
    const EXIT: [u8; 8] = [0x95, 0, 0, 0, 0, 0, 0, 0];
    const ASSIGN_0: [u8; 8] = [0xb7, 0, 0, 0, 0, 0, 0, 0];
    let Some(_kernel) = kernel() else { return };
    let mut endless = KernelController::named(NAME).unwrap().object.to_vec();
    let mut changed = 0;
    for instruction in endless.as_chunks_mut().0.iter_mut().filter(|i| **i == EXIT) {
        *instruction = ASSIGN_0;
        changed += 1;
    }
    assert!(changed > 5, "each program has an end");
    let error = loaded_as(endless.leak()).unwrap_err();
    assert!(matches!(error, KernelError::Refused { .. }) && !error.is_bad_input());
    let text = error.to_string();
    assert!(text.starts_with("the kernel refused the controller's programs: "), "{text}");
    assert!(text.contains("boot a kernel on which they were tested"), "{text}");
    assert!(text.contains("last insn is not an exit or jmp"), "{text}");
    assert!(environment::available().unwrap().iter().all(|name| name != NAME));
}

#[test]
fn what_is_no_object_is_refused_before_the_kernel_sees_it() {
    let Some(_kernel) = kernel() else { return };
    let error = loaded_as(b"no object").unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("the kernel refused the programs' description: "), "{text}");
}
