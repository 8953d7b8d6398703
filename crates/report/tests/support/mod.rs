//! A headless Chromium, driven over a pipe with the DevTools protocol.
//!
//! `--remote-debugging-pipe` reads commands from file descriptor 3 and writes answers to 4, each
//! ended by a zero byte: no port and no network. A shell moves the descriptors into their places.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod made;
pub(crate) mod words;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than any step takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];

/// The program; none if the machine has none. Where `WESTWOOD_NEEDS_CHROMIUM` is set, that is a
/// failure.
pub(crate) fn chromium() -> Option<String> {
    let named = std::env::var("WESTWOOD_CHROMIUM").ok();
    let usual = ["chromium", "chromium-browser", "google-chrome"].map(str::to_owned);
    let works = |name: &String| {
        let mut command = Command::new(name);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let found = named.into_iter().chain(usual).find(works);
    let needed = std::env::var_os("WESTWOOD_NEEDS_CHROMIUM").is_some();
    assert!(found.is_some() || !needed, "there is no Chromium; install Debian's package chromium");
    if found.is_none() {
        // Past the test harness, which would keep it to itself.
        let _ = writeln!(std::io::stderr(), "not tested: there is no Chromium on this machine");
    }
    found
}

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// The page's own messages since the last look.
    events: Vec<Value>,
    session: Option<String>,
    next: u64,
    _profile: TempDir,
}

impl Browser {
    pub(crate) fn start(program: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh", program])
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let messages = listen(child.stdout.take().unwrap());
        let mut browser = Self {
            child,
            input,
            messages,
            events: Vec::new(),
            session: None,
            next: 0,
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = attached["sessionId"].as_str().map(ToOwned::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method of the protocol and waits for its answer.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "parameters are written where they are passed"
    )]
    #[expect(clippy::disallowed_methods, reason = "a browser answers in real time")]
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(message.to_string().as_bytes()).unwrap();
        self.input.write_all(&[0]).unwrap();
        let begin = Instant::now();
        loop {
            let answer = self.next_message(begin, method);
            if answer["id"] == json!(id) {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    fn next_message(&self, begin: Instant, waiting_for: &str) -> Value {
        let left = PATIENCE.saturating_sub(begin.elapsed());
        match self.messages.recv_timeout(left) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => panic!("{waiting_for}: no answer"),
            Err(RecvTimeoutError::Disconnected) => panic!("{waiting_for}: the browser is gone"),
        }
    }

    /// A screen of this size in pixels, light or dark.
    pub(crate) fn screen(&mut self, width: u32, height: u32, scheme: &str) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// Opens a file and waits until the page says that it is ready.
    pub(crate) fn open(&mut self, file: &Path) {
        self.events.clear();
        let url = format!("file://{}", file.display());
        self.call("Page.navigate", json!({ "url": url }));
        self.wait_for("document.readyState === 'complete'");
    }

    /// Evaluates an expression until it holds.
    #[expect(clippy::disallowed_methods, reason = "a browser answers in real time")]
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let begin = Instant::now();
        while self.eval(expression) != json!(true) {
            assert!(begin.elapsed() < PATIENCE, "never true: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The value of an expression in the page.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let params = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true,
        });
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Moves, presses or releases the mouse.
    pub(crate) fn mouse(&mut self, kind: &str, x: f64, y: f64) {
        let pressed = u32::from(kind != "mouseMoved");
        let button = if pressed == 1 { "left" } else { "none" };
        let params = json!({
            "type": kind, "x": x, "y": y, "button": button, "clickCount": pressed,
            "buttons": u32::from(kind == "mousePressed"),
        });
        self.call("Input.dispatchMouseEvent", params);
    }

    /// Presses a key of this name.
    pub(crate) fn key(&mut self, key: &str) {
        let text = if key.len() == 1 { key } else { "" };
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "text": text }));
        }
    }

    /// The page's requests and complaints since it was opened.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        // All requests under way have been reported once this is answered.
        self.eval("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))");
        let complaint = |event: &Value| {
            let params = &event["params"];
            match event["method"].as_str()? {
                "Network.requestWillBeSent" if params["type"] != "Document" => {
                    Some(format!("asks for {}", params["request"]["url"]))
                }
                "Runtime.exceptionThrown" => Some(params["exceptionDetails"].to_string()),
                "Runtime.consoleAPICalled" => Some(params["args"].to_string()),
                "Log.entryAdded" => Some(params["entry"].to_string()),
                "Page.javascriptDialogOpening" => Some(params.to_string()),
                _ => None,
            }
        };
        self.events.iter().filter_map(complaint).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // By its own verb first, so that its children end with it.
        let close = json!({ "id": 0, "method": "Browser.close" }).to_string() + "\0";
        let _ = self.input.write_all(close.as_bytes());
        for _ in 0..100 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(output: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        loop {
            let mut message = Vec::new();
            match reader.read_until(0, &mut message) {
                Ok(1..) => {}
                _ => return,
            }
            message.pop();
            let Ok(value) = serde_json::from_slice(&message) else { return };
            if sender.send(value).is_err() {
                return;
            }
        }
    });
    receiver
}
