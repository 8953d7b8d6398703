//! The paths whose runs make the pools.

/// A path and its controllers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PooledPath {
    /// Its name in tables.
    pub(crate) name: &'static str,
    /// Its subject.
    pub(crate) about: &'static str,
    /// The controllers, as a list of TOML.
    pub(crate) controllers: &'static str,
    /// The rest of the scenario.
    pub(crate) text: &'static str,
}

/// Four that differ in kind: a loss-based default, its predecessor, one by model, one of the family.
const FOUR: &str = r#"["cubic-linux", "reno-linux", "bbr", "westwood+"]"#;

/// The paths: the default one, and those on which a few runs decide the mean of all.
pub(crate) const PATHS: [PooledPath; 10] = [
    PooledPath {
        name: "default",
        about: "`westwood compare` as it stands: 10 Mbit/s, 100 ms, loss 0.5 %",
        controllers: r#"["cubic-linux", "bbr", "bbr3", "illinois", "hybla", "westwood-linux", "westwood",
            "westwood+"]"#,
        text: r#"
            time = "30 s"
            warmup = "5 s"
            [dumbbell]
            rate = "10 Mbit/s"
            rtt = "100 ms"
            loss = "0.5 %"
        "#,
    },
    PooledPath {
        name: "satellite",
        about: "20 Mbit/s, 600 ms, loss 0.1 %, 50 s",
        controllers: FOUR,
        text: r#"
            time = "60 s"
            warmup = "10 s"
            [dumbbell]
            rate = "20 Mbit/s"
            return_rate = "2 Mbit/s"
            rtt = "600 ms"
            loss = "0.1 %"
        "#,
    },
    PooledPath {
        name: "transfer",
        about: "one transfer of 2 MB, 10 Mbit/s, 100 ms, loss 1 %",
        controllers: FOUR,
        text: r#"
            time = "600 s"
            [dumbbell]
            rate = "10 Mbit/s"
            rtt = "100 ms"
            loss = "1 %"
            size = "2 MB"
        "#,
    },
    PooledPath {
        name: "page",
        about: "three transfers of 100 kB at once, 10 Mbit/s, 50 ms, loss 3 %",
        controllers: FOUR,
        text: r#"
            time = "600 s"
            [dumbbell]
            rate = "10 Mbit/s"
            rtt = "50 ms"
            loss = "3 %"
            size = "100 kB"
            flows = 3
        "#,
    },
    PooledPath {
        name: "lte",
        about: "the trace of lte-walk up to 12 Mbit/s, 50 ms, loss 0.1 %, 15 s",
        controllers: FOUR,
        text: r#"
            time = "20 s"
            warmup = "5 s"
            [dumbbell]
            trace = "lte-walk.trace"
            return_trace = "lte-walk-up.trace"
            rtt = "50 ms"
            buffer = "1000 packets"
            loss = "0.1 %"
        "#,
    },
    PooledPath {
        name: "wifi",
        about: "wifi-bursts: 30 Mbit/s, 40 ms, seconds of 5 % loss and of none, 25 s",
        controllers: FOUR,
        text: r#"
            time = "30 s"
            warmup = "5 s"
            [[link]]
            name = "air"
            from = "access point"
            to = "laptop"
            rate = "30 Mbit/s"
            delay = "1 ms"
            buffer = "250 packets"
            jitter = "exponential(2 ms)"
            loss_both = "markov(good=8s, bad=4s, p=5%, p_good=0.001%)"
            [[flow]]
            name = "flow"
            from = "access point"
            to = "laptop"
            rtt = "40 ms"
            access_rate = "1 Gbit/s"
        "#,
    },
    PooledPath {
        name: "rare",
        about: "a deep buffer and rare losses: 10 Mbit/s, 50 ms, 10 BDP, loss 0.01 %",
        controllers: FOUR,
        text: r#"
            time = "30 s"
            warmup = "5 s"
            [dumbbell]
            rate = "10 Mbit/s"
            rtt = "50 ms"
            buffer = "10 bdp"
            loss = "0.01 %"
        "#,
    },
    PooledPath {
        name: "shared",
        about: "four flows, 20 Mbit/s, 40 ms, loss 0.1 %",
        controllers: FOUR,
        text: r#"
            time = "20 s"
            warmup = "5 s"
            [dumbbell]
            rate = "20 Mbit/s"
            rtt = "40 ms"
            loss = "0.1 %"
            flows = 4
        "#,
    },
    PooledPath {
        name: "beside",
        about: "two flows beside two of cubic-linux, 20 Mbit/s, 40 ms, loss 0.05 %",
        controllers: FOUR,
        text: r#"
            time = "20 s"
            warmup = "5 s"
            [dumbbell]
            rate = "20 Mbit/s"
            rtt = "40 ms"
            loss = "0.05 %"
            flows = 2
            against_cc = "cubic-linux"
            against_flows = 2
        "#,
    },
    PooledPath {
        name: "bursts",
        about: "20 Mbit/s, 100 ms, bursts of 10 ms that lose 10 %, once a second",
        controllers: FOUR,
        text: r#"
            time = "20 s"
            warmup = "4 s"
            [dumbbell]
            rate = "20 Mbit/s"
            rtt = "100 ms"
            loss = "gilbert(good=1s, bad=10ms, p=10%)"
        "#,
    },
];
