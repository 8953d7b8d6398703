//! Defaults of network namespaces.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Output, Stdio};

use westwood_kernel::environment;

use super::live::kernel;
use super::{code, said, westwood};

/// Another network namespace, with `reno` as its default.
struct Namespace(Child);

impl Namespace {
    fn new() -> Self {
        let keep = "echo reno >/proc/sys/net/ipv4/tcp_congestion_control; echo; read end";
        Self::with(keep)
    }

    /// One that the first line of a script's output tells to be there.
    fn with(script: &str) -> Self {
        let mut child = Command::new("unshare")
            .args(["--net", "sh", "-ec", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "\n", "{script}");
        Self(child)
    }

    fn within(&self, command: &[&str]) -> Output {
        let namespace = format!("--net=/proc/{}/ns/net", self.0.id());
        Command::new("nsenter").arg(namespace).args(command).output().unwrap()
    }

    /// `westwood kernel` there: what it says, in one line.
    fn kernel(&self, arguments: &[&str]) -> String {
        let command = [&[env!("CARGO_BIN_EXE_westwood"), "kernel"], arguments].concat();
        let output = self.within(&command);
        assert_eq!(code(&output), Some(0), "{}", said(&output.stderr));
        in_one_line(&output)
    }

    fn default(&self) -> String {
        let output = self.within(&["cat", "/proc/sys/net/ipv4/tcp_congestion_control"]);
        said(&output.stdout).trim().to_owned()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The output of a command on both streams, in one line.
fn in_one_line(output: &Output) -> String {
    let all = said(&output.stdout) + &said(&output.stderr);
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_default_is_of_one_namespace_and_the_one_before_comes_back() {
    let Some(_kernel) = kernel() else { return };
    let here = environment::default_controller().unwrap();
    let other = Namespace::new();
    other.kernel(&["load", "westwood_plus"]);
    assert_eq!(other.default(), "reno");
    other.kernel(&["load", "westwood_plus", "--default"]);
    assert_eq!(other.default(), "westwood_plus");
    let answer = other.kernel(&["unload", "westwood_plus"]);
    assert_eq!(
        answer,
        "westwood_plus is unloaded. The default of this network namespace is reno again."
    );
    assert_eq!(other.default(), "reno");
    assert_eq!(environment::default_controller().unwrap(), here);
}

#[test]
fn a_default_of_another_namespace_is_told_and_released_there() {
    let Some(_kernel) = kernel() else { return };
    let other = Namespace::new();
    other.kernel(&["load", "westwood_probe", "--default"]);
    let output = westwood(&["unload", "--all"]);
    let (text, status) = (in_one_line(&output), || said(&westwood(&["status"]).stdout));
    assert_eq!(code(&output), Some(0), "{text}");
    assert!(
        text.contains("1 default of a network namespace or unconnected socket holds"),
        "{text}"
    );
    assert!(text.contains("ip netns exec NAME westwood kernel unload westwood_probe"), "{text}");
    assert!(status().contains("westwood_probe   leaving"), "{}", status());
    assert_eq!(other.default(), "westwood_probe");
    let answer = other.kernel(&["unload", "--all"]);
    let again = "was unloaded before. The default of this network namespace is reno again.";
    assert_eq!(answer, format!("westwood_probe {again}"));
    assert_eq!(
        (other.default().as_str(), status().as_str()),
        ("reno", "No controller is loaded.\n")
    );
}

#[test]
fn the_default_before_the_first_of_ours_comes_back() {
    let Some(_kernel) = kernel() else { return };
    let other = Namespace::new();
    other.kernel(&["load", "westwood_2002", "--default"]);
    other.kernel(&["load", "westwood_plus", "--default"]);
    // Its default is not westwood_2002 again, which goes first.
    let answer = other.kernel(&["unload", "--all"]);
    assert!(answer.ends_with("The default of this network namespace is reno again."), "{answer}");
    assert_eq!(other.default(), "reno");
}

#[test]
fn no_namespace_gets_the_default_of_another() {
    let Some(_kernel) = kernel() else { return };
    // Its default is westwood_plus though it was never asked for here, so that none is remembered.
    let load = format!("{} kernel load westwood_plus >/dev/null", env!("CARGO_BIN_EXE_westwood"));
    let choose = "echo westwood_plus >/proc/sys/net/ipv4/tcp_congestion_control; echo; read end";
    let strange = Namespace::with(&format!("{load}; {choose}"));
    let (one, two) = (Namespace::new(), Namespace::new());
    one.within(&["sh", "-c", "echo reno >/proc/sys/net/ipv4/tcp_congestion_control"]);
    one.kernel(&["load", "westwood_plus", "--default"]);
    two.within(&["sh", "-c", "echo bbr >/proc/sys/net/ipv4/tcp_congestion_control"]);
    let before = two.default();
    two.kernel(&["load", "westwood_plus", "--default"]);
    one.kernel(&["unload", "westwood_plus"]);
    two.kernel(&["unload", "westwood_plus"]);
    assert_eq!((one.default(), two.default()), ("reno".to_owned(), before));
    let answer = strange.kernel(&["unload", "westwood_plus"]);
    let now = strange.default();
    let warning =
        format!("the default of this network namespace is {now} now, since none is remembered");
    assert!(answer.contains(&warning), "{answer}");
    assert!(["cubic", "reno"].contains(&now.as_str()), "{now}");
}

#[test]
fn a_default_that_was_unloaded_elsewhere_is_replaced_by_the_new_one_of_its_name() {
    let Some(_kernel) = kernel() else { return };
    let other = Namespace::new();
    other.kernel(&["load", "westwood_plus", "--default"]);
    assert_eq!(code(&westwood(&["unload", "--all"])), Some(0));
    other.kernel(&["load", "westwood_plus", "--default"]);
    let status = said(&westwood(&["status"]).stdout);
    assert!(status.contains("westwood_plus    loaded") && !status.contains("leaving"), "{status}");
    other.kernel(&["unload", "westwood_plus"]);
    assert_eq!(other.default(), "reno");
}
