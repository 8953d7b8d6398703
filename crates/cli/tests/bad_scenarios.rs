//! Every wrong scenario file is refused with the place of each fault, exit code 2, and nothing else
//! happens.

mod support;

use support::{Folder, Run};

/// A file, and what is said of it: each text must be part of the answer.
type Bad = (&'static str, &'static [&'static str]);

/// Faults of the TOML itself.
const SYNTAX: &[Bad] = &[
    ("cc = reno\n", &["f.toml:1:6: string values must be quoted", "1 | cc = reno\n  |      ^^^^"]),
    ("cc = \"reno\n", &["f.toml:1:11: invalid basic string"]),
    ("[dumbbell\n", &["f.toml:1:10: unclosed table"]),
    ("cc = \"reno\"\ncc = \"bbr\"\n", &["f.toml:2:1: duplicate key"]),
    ("[dumbbell]\n[dumbbell]\n", &["f.toml:2:2: duplicate key"]),
    ("seeds = [1, 2\n", &["f.toml:1:14: unclosed array"]),
    ("= 3\n", &["f.toml:1:1:"]),
    ("seeds = 1.2.3\n", &["f.toml:1:12: invalid float"]),
    ("cc = \"reno\"\n\u{0}\n", &["f.toml:2:1: invalid"]),
    ("a = 1\nb = \nc = reno\n", &["f.toml:2:5:", "f.toml:3:5:", "2 errors in f.toml"]),
];

/// Tables and fields.
const FIELDS: &[Bad] = &[
    ("", &["f.toml:1:1: there are no flows", "write [dumbbell], or [[link]] and [[flow]]"]),
    (
        "dumbell = {}\n",
        &["f.toml:1:1: the file has no field 'dumbell'", "did you mean 'dumbbell'?"],
    ),
    (
        "[dumbbell]\nrat = \"1 Mbit/s\"\n",
        &["f.toml:2:1: [dumbbell] has no field 'rat'", "did you mean 'rate'?"],
    ),
    (
        "[dumbbell]\nflavour = 1\n",
        &[
            "f.toml:2:1: [dumbbell] has no field 'flavour'",
            "more; westwood schema --markdown lists all",
        ],
    ),
    ("dumbbell = 3\n", &["f.toml:1:12: a number stands where a table is due", "write [dumbbell]"]),
    ("link = \"a\"\n", &["f.toml:1:8: a text stands where a table is due", "write [[link]]"]),
    (
        "[[link]]\nfrom = \"a\"\nto = \"b\"\n",
        &["f.toml:1:1: [[link]] lacks 'name'", "write name = \"cross\""],
    ),
    ("[[flow]]\nfrom = \"a\"\n", &["f.toml:1:1: [[flow]] lacks 'name'"]),
    ("cc = { x = 1 }\n[dumbbell]\n", &["f.toml:1:6: a table cannot stand here"]),
    ("time = [\"1 s\"]\n", &["f.toml:1:8: a list cannot stand here"]),
    ("time = 2026-01-01\n", &["f.toml:1:8: a date cannot stand here"]),
    ("cc = []\n[dumbbell]\n", &["f.toml:1:6: the list is empty"]),
    ("sweep = 3\n[dumbbell]\n", &["f.toml:1:9: a number stands where a table is due"]),
    (
        "[dumbbell]\nudp = {}\n",
        &["f.toml:2:1: [dumbbell] has no field 'udp'", "'udp' is a field of [[flow]]"],
    ),
    (
        "[dumbbell]\nwarmup = \"1 s\"\n",
        &[
            "[dumbbell] has no field 'warmup'",
            "'warmup' stands at the top of the file, above all tables",
        ],
    ),
    (
        "[record]\nseed = 1\n",
        &["did you mean 'seeds'? 'seed' stands at the top of the file, above all tables"],
    ),
    (
        "[[change]]\nlink = \"bottleneck\"\n",
        &["f.toml:1:1: [[change]] lacks 'at'", "write at = \"10 s\""],
    ),
    ("dumbbell = {}\ncc = \"reno\"\nlimit = {}\n", &["did you mean 'limits'?"]),
];

/// Values.
const VALUES: &[Bad] = &[
    (
        "like = \"ns2\"\ncc = \"reno\"\n[dumbbell]\n",
        &["f.toml:1:8: unknown preset 'ns2'", "did you mean 'ns-2'?"],
    ),
    (
        "[dumbbell]\nrate = 10\n",
        &[
            "f.toml:2:8: '10' has no unit",
            "2 | rate = 10\n  |        ^^",
            "= write 10Mbit/s or 10kbit/s",
        ],
    ),
    (
        "[dumbbell]\nrate = \"10 Mbits\"\nrtt = \"1 parsec\"\n",
        &["f.toml:3:7: '1 parsec' has the unknown unit 'parsec'"],
    ),
    (
        "[dumbbell]\nrate = \"10 Mbots\"\nrtt = 5\n",
        &[
            "f.toml:2:8: '10 Mbots' has the unknown unit 'Mbots'",
            "f.toml:3:7: '5' has no unit",
            "2 errors",
        ],
    ),
    (
        "[dumbbell]\nrate = \"500 Gbit/s\"\n",
        &["f.toml:2:8: '500 Gbit/s' is out of range", "from 1kbit/s to 400Gbit/s"],
    ),
    ("[dumbbell]\nrate = true\n", &["f.toml:2:8: 'true' does not begin with a number"]),
    (
        "[dumbbell]\nrtt = \"-5 ms\"\n",
        &["f.toml:2:7: '-5' is negative", "write a value from 1us to 10s"],
    ),
    (
        "[dumbbell]\nrate = \"1e9 Tbit/s\"\n",
        &["f.toml:2:8: '1e9 Tbit/s' is too large", "write a value from 1kbit/s to 400Gbit/s"],
    ),
    (
        "time = \"1e30 s\"\n[dumbbell]\n",
        &["f.toml:1:8: '1e30 s' is too large", "write a value from 1ms to 86400s"],
    ),
    (
        "[dumbbell]\nbuffer = \"-1 pkt\"\n",
        &["f.toml:2:10: '-1' is negative", "write a value from 0pkt to 16777216pkt"],
    ),
    (
        "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\njitter = \"exponential(-1 ms)\"\n",
        &["f.toml:5:10: '-1' is negative", "write a value from 0s to 86400s"],
    ),
    (
        "[dumbbell]\nrtt = \"250 ms to 20 ms\"\n",
        &["f.toml:2:7: 250 ms is more than 20 ms", "the smaller one first"],
    ),
    (
        "[dumbbell]\nrtt = \"uniform(1 ms, 2 ms)\"\n",
        &["f.toml:2:7: a dumbbell's RTTs are equal or evenly spaced"],
    ),
    ("[dumbbell]\nrtt = \"11 s\"\n", &["f.toml:2:7: '11 s' is out of range", "from 1us to 10s"]),
    (
        "[dumbbell]\nbuffer = 83\n",
        &["f.toml:2:10: '83' has no unit", "write 83pkt, 83kB, 83ms or 83bdp"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\nbuffer = \"100 B\"\n",
        &["f.toml:3:10: 100 B is less than a packet of 1500 B"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\nbuffer = \"1e7 bdp\"\n",
        &["f.toml:3:10:", "is more than 16777216 packets"],
    ),
    (
        "[dumbbell]\naqm = \"codle\"\n",
        &["f.toml:2:7: unknown queue 'codle'", "did you mean 'codel'?"],
    ),
    ("[dumbbell]\naqm = \"red(min=20,max=10)\"\n", &["f.toml:2:7: red: 'max' must be above 'min'"]),
    (
        "cc = \"reno\"\n[dumbbell]\naqm = \"red\"\nbuffer = \"0 packets\"\n",
        &["f.toml:3:7: red: 'max' (0.0) must be above 'min' (0.0)"],
    ),
    ("[dumbbell]\nloss = 5\n", &["f.toml:2:8: '5' is more than 100 %", "write 5% or 0.05"]),
    (
        "[dumbbell]\nloss = [\"1 %\", \"gilbret(good=1s,bad=1s,p=1%)\"]\n",
        &["f.toml:2:16: unknown loss 'gilbret'", "did you mean 'gilbert'?"],
    ),
    // Of a list in one text the entry that is wrong, and not the text.
    (
        "cc = \"reno, rneo\"\n[dumbbell]\n",
        &["f.toml:1:13: unknown controller 'rneo'", "|             ^^^^"],
    ),
    ("cc = \"reno,bbr, reno\"\n[dumbbell]\n", &["f.toml:1:17: 'reno' is given twice"]),
    (
        "cc = [\"bbr\", \"reno,bbr\"]\n[dumbbell]\n",
        &["f.toml:1:14: 'bbr' is given twice", "leave one of them out"],
    ),
    (
        "[dumbbell]\nloss = \"1 %,gilbret(good=1s,bad=1s,p=1%)\"\n",
        &["f.toml:2:13: unknown loss 'gilbret'", "did you mean 'gilbert'?"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[change]]\nlink = \"bottleneck\"\nat = \"1 s\"\nrate = \"401 Gbit/s\"\n",
        &["f.toml:6:8: '401 Gbit/s' is out of range", "from 1kbit/s to 400Gbit/s"],
    ),
    ("[dumbbell]\nflows = 0\n", &["f.toml:2:9: '0' is out of range", "from 1 to 10000"]),
    ("[dumbbell]\nflows = 2.5\n", &["f.toml:2:9: '2.5' is not a whole number"]),
    ("[dumbbell]\nsize = \"2\"\n", &["f.toml:2:8: '2' has no unit"]),
    (
        "cc = \"rneo\"\n[dumbbell]\n",
        &["f.toml:1:6: unknown controller 'rneo'", "did you mean 'reno'?"],
    ),
    (
        "cc = [\"reno\", \"westwood+(taou=1s)\"]\n[dumbbell]\n",
        &["f.toml:1:15: westwood+: has no parameter 'taou'", "did you mean 'tau'?"],
    ),
    (
        "[tcp]\nrecovery = \"sakc\"\n",
        &["f.toml:2:12: unknown recovery 'sakc'", "did you mean 'sack'?"],
    ),
    ("[tcp]\ndelayed_ack = \"maybe\"\n", &["f.toml:2:15: 'maybe' is neither on nor off"]),
    ("[tcp]\npacket = \"70 kB\"\n", &["f.toml:2:10: '70 kB' is out of range"]),
    ("[tcp]\nmin_rto = \"0 s\"\n", &["f.toml:2:11: '0 s' is out of range", "from 1ms to 60s"]),
    (
        "[tcp]\ncredit = \"bytes\"\n",
        &["f.toml:2:10: unknown credit 'bytes'", "ack, segment and limited"],
    ),
    ("time = \"0 s\"\n", &["f.toml:1:8: '0 s' is out of range"]),
    ("seeds = 0\n", &["f.toml:1:9: '0' is out of range"]),
    ("name = \"a.b\"\n", &["f.toml:1:8: 'a.b' has a '.' in it"]),
    ("name = \"\"\n", &["f.toml:1:8: the name is empty"]),
    (
        "[record]\nseries = [\"windows\", \"cwnd\"]\n",
        &["f.toml:2:22: unknown series 'cwnd'", "windows, rtts, queues"],
    ),
    ("[record]\nseeds = \"some\"\n", &["f.toml:2:9: unknown choice 'some'", "first and all"]),
    (
        "cc = \"reno\"\ntime = \"10 s\"\nwarmup = \"10 s\"\n[dumbbell]\n",
        &["f.toml:3:10: the warm-up of 10 s is not shorter than the time of 10 s"],
    ),
    ("cc = \"reno\"\n[dumbbell]\ntrace = \"absent.trace\"\n", &["f.toml:3:9: 'absent.trace':"]),
    (
        "cc = \"reno\"\n[dumbbell]\nrate = \"1 Mbit/s\"\ntrace = \"t\"\n",
        &["f.toml:4:9: a rate and a trace cannot be given together"],
    ),
];

/// Nodes, links, flows.
const TOPOLOGY: &[Bad] = &[
    ("[dumbbell]\n", &["f.toml:1:1: [dumbbell] needs a controller", "write cc = \"reno\""]),
    (
        "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\n",
        &["f.toml:1:1: neither a rate nor a trace is given"],
    ),
    (
        "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"a\"\nrate = \"1 Mbit/s\"\n",
        &["f.toml:4:6: the link leads back to the node where it begins"],
    ),
    (
        "nodes = [\"entry\", \"exit\"]\n[[link]]\nname = \"l\"\nfrom = \"entry\"\nto = \"exti\"\nrate = \"1 Mbit/s\"\n",
        &["f.toml:5:6: there is no node 'exti'", "did you mean 'exit'?"],
    ),
    (
        "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nreorder = true\n",
        &[
            "f.toml:6:11: packets overtake each other by jitter, and the link has none",
            "write jitter = \"uniform(10 ms)\" too, or reorder = \"1 % by 3\"",
        ],
    ),
    (
        "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nreorder = true\njitter = \"bunches(10 ms)\"\n",
        &["f.toml:6:11: no packet overtakes another by this jitter"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nbuffer = \"unlimited\"\naqm = \"red(min=20)\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\n",
        &[
            "f.toml:8:7: red: 'max' follows from the buffer, and this one is unlimited",
            "write min and max, as in red(min=20,max=60), or limit the buffer",
        ],
    ),
    ("nodes = [\"a\", \"a\"]\n", &["f.toml:1:9: the node 'a' is listed twice"]),
    ("nodes = [\"a\"]\n[dumbbell]\n", &["f.toml:1:9: 'nodes' cannot be listed beside [dumbbell]"]),
    (
        "cc = \"reno\"\n[dumbbell]\n[[link]]\nname = \"bottleneck\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\n",
        &["f.toml:4:8: another link is called 'bottleneck'"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\n",
        &["f.toml:4:8: it is not clear where 'x' leads", "write from and to, or over"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nfrom = \"left\"\nto = \"rihgt\"\n",
        &["f.toml:6:6: there is no node 'rihgt'", "did you mean 'right'?"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nfrom = \"left\"\nto = \"left\"\n",
        &["f.toml:5:8: the flows lead from 'left' to itself"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottelneck\"\n",
        &["f.toml:5:8: there is no link 'bottelneck'", "did you mean 'bottleneck'?"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"flow\"\nover = \"bottleneck\"\n",
        &["f.toml:4:8: another group is called 'flow'"],
    ),
    (
        "[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nrtt = \"1 ms\"\n[tcp]\n[sweep]\ncc = [\"reno\"]\n",
        &["f.toml:5:7: 1 ms is less than the 20 ms of the links between"],
    ),
    (
        "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nboth_ways = false\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\ncc = \"reno\"\n",
        &["f.toml:9:8: no links lead from 'b' to 'a' and back", "both_ways = false"],
    ),
    (
        "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\n",
        &["f.toml:7:8: 'x' has no controller"],
    ),
    (
        "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nudp = { rate = \"1 Mbit/s\" }\n",
        &[
            "f.toml:1:1: no TCP flow crosses 'l', so it has no bandwidth-delay product",
            "write buffer = \"100 packets\"",
        ],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nsize = \"1 MB\"\nudp = { rate = \"1 Mbit/s\" }\n",
        &["f.toml:7:7: a group of flows has one application"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\ncc = \"reno\"\nudp = { rate = \"1 Mbit/s\" }\n",
        &["f.toml:6:6: udp has neither a controller nor a transport"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\ncc = \"reno\"\nmedia = {}\n",
        &["f.toml:6:6: media has a controller of its own, and no transport"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nmedia = { min_rate = \"2 Mbit/s\" }\n",
        &[
            "f.toml:6:9: min_rate is 2Mbit/s and max_rate 1.5Mbit/s",
            "write a min_rate that is no larger than max_rate",
        ],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nmedia = { fps = 0 }\n",
        &["f.toml:6:17:"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nudp = { rate = \"1 Mbit/s\", on = \"1 s\" }\n",
        &["f.toml:6:7: one of on and off is missing"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nstart = \"70 s\"\n",
        &["f.toml:6:9: a flow does not start before the end of the run at 60 s"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nstart = \"20 s\"\nstop = \"10 s\"\n",
        &["f.toml:7:8: x 1 stops at 10 s, before its start at 20 s"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nstart = \"20 s\"\nstop = \"20 s\"\n",
        &["f.toml:7:8: x 1 starts and stops at 20 s, so that it never sends"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nactive = \"20 s\"\n",
        &["f.toml:6:10: '20 s' is not an interval"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nactive = \"20 s to 10 s\"\n",
        &["f.toml:6:10: '20 s to 10 s' ends before it begins"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nshort_flows = { every = \"exponentail(1 s)\" }\n",
        &[
            "f.toml:6:25: unknown distribution 'exponentail'",
            "f.toml:6:15: short_flows lacks 'size'",
        ],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[flow]]\nname = \"x\"\nfrom = \"left\"\nto = \"right\"\npath = [\"bottleneck return\"]\n",
        &["f.toml:7:8: the links do not lead from end to end"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[measure]\ngroup = \"flwo\"\n",
        &["f.toml:4:9: there is no group of flows 'flwo'", "did you mean 'flow'?"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[measure]\nlink = \"last\"\n",
        &["f.toml:4:8: there is no link 'last'", "there are bottleneck"],
    ),
];

/// Agents beside links, and what heeds them.
const AGENTS: &[Bad] = &[
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nbuffer = \"9 packets\"\nboth_ways = false\nsnoop = true\n",
        &["f.toml:9:9: Snoop needs the way on which ACKs come back", "leave out both_ways = false"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nbuffer = \"9 packets\"\nfair_share = true\n[[change]]\nlink = \"l\"\nat = \"1 s\"\nrate = \"2 Mbit/s\"\n",
        &["f.toml:8:14: a fair share needs a link of constant rate"],
    ),
    (
        "cc = \"reno\"\n[tcp]\neln = true\nrecovery = \"linux\"\n[dumbbell]\n",
        &["f.toml:3:7: 'flow' has eln and the recovery linux", "choose reno, newreno or sack"],
    ),
    (
        "cc = \"prague\"\n[tcp]\necn_feedback = \"classic\"\n[dumbbell]\n",
        &[
            "f.toml:3:16: prague sends ECT(1), and 'classic' does not count the marks",
            "write \"accurate\" or \"ace\"",
        ],
    ),
    (
        "cc = \"reno\"\n[tcp]\necn_feedback = \"dctcp\"\n[dumbbell]\nagainst_cc = \"prague\"\nagainst_flows = 1\n",
        &["f.toml:3:16: prague sends ECT(1), and 'dctcp' does not count the marks"],
    ),
    (
        "cc = \"reno\"\n[tcp]\necn_feedback = \"best\"\n[dumbbell]\n",
        &["f.toml:3:16: unknown ECN feedback 'best'"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[record]\nestimates = [\"westwood+\"]\n",
        &["f.toml:4:14: unknown estimator 'westwood+'"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nsnoop = true\nsnoop_timeout = \"0 s\"\n",
        &["f.toml:8:17: "],
    ),
];

/// Proxies.
const PROXIES: &[Bad] = &[
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 2\ndelay = \"1 ms\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nproxy = { at = \"l1\" }\n",
        &["f.toml:13:16: there is no node 'l1'", "did you mean 'l 1'?"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 2\ndelay = \"1 ms\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nproxy = { at = \"a\" }\n",
        &["f.toml:13:16: 'a' is an end of the route", "a proxy stands between the ends: l 1"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 2\ndelay = \"1 ms\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nproxy = { at = \"b\" }\n",
        &["f.toml:13:16: 'b' is an end of the route"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 2\ndelay = \"1 ms\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nproxy = [{ at = \"l 1\" }, { at = \"l 1\" }]\n",
        &[
            "f.toml:13:33: 'l 1' does not follow the other proxies on the route",
            "name proxies in the order of the route",
        ],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 2\ndelay = \"1 ms\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nproxy = {}\n",
        &["f.toml:13:9: proxy lacks 'at'"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 2\ndelay = \"1 ms\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nproxy = { at = \"l 1\", buffer = \"1 kB\" }\n",
        &["f.toml:13:32: the buffer does not hold a segment of 1500 bytes"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 2\ndelay = \"1 ms\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nproxy = { at = \"l 1\" }\nmedia = {}\n",
        &[
            "f.toml:13:9: a proxy splits TCP connections, and these flows have none",
            "leave out proxy",
        ],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 2\ndelay = \"1 ms\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nproxy = { at = \"l 1\" }\nudp = { rate = \"1 kbit/s\" }\n",
        &["f.toml:13:9: a proxy splits TCP connections"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 2\ndelay = \"1 ms\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nproxy = { at = \"l 1\" }\ntcp = { receiver = \"divide(2)\" }\n",
        &["f.toml:13:9: a proxy and a receiver that misbehaves cannot be given together"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 2\ndelay = \"1 ms\"\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nproxy = { at = \"l 1\", cwnd = 3 }\n",
        &["f.toml:13:23: proxy has no field 'cwnd'", "it has at, cc, buffer and tcp"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nboth_ways = false\n\
         [[link]]\nname = \"m\"\nfrom = \"b\"\nto = \"c\"\nrate = \"1 Mbit/s\"\n\
         [[link]]\nname = \"n\"\nfrom = \"c\"\nto = \"a\"\nrate = \"1 Mbit/s\"\nboth_ways = false\n\
         [[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"c\"\nproxy = { at = \"b\" }\n",
        &[
            "f.toml:23:16: the way back does not lead over 'b'",
            "give the flows a return_path over it",
        ],
    ),
];

/// Changes, sweeps, variants, limits.
const GRIDS: &[Bad] = &[
    (
        "cc = \"reno\"\n[dumbbell]\n[sweep]\n\"dumbbell.flows\" = [1, 2, 1]\n",
        &["f.toml:4:27: '1' is given twice"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[sweep]\ncc = [\"reno\", \"reno(keep=0.5)\"]\n",
        &["f.toml:4:15: reno(keep=0.5) is the same as reno"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[sweep]\nseeds = [1, 2]\n",
        &["f.toml:4:1: 'seeds' is the same at every point", "give it one value"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[variant.more]\nseeds = 9\n",
        &["f.toml:4:1: 'seeds' is the same at every point"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[sweep]\n\"dumbbell.loss\" = [\"1 %\", \"2 %\"]\n\
         dumbbell.loss = [\"3 %\", \"4 %\"]\n",
        &["'dumbbell.loss' sets again what 'dumbbell.loss' sets", "sweep a field once"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[variant]]\nname = \"a\"\n",
        &["f.toml:3:1: a list stands where a table is due", "write [variant.codel]"],
    ),
    (
        "cc = \"reno\"\nseed = 18446744073709551615\n[dumbbell]\n",
        &["f.toml:2:8: 8 seeds from 18446744073709551615 on exceed"],
    ),
    (
        "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 2\n\
         [[flow]]\nname = \"x\"\nover = \"l\"\ncc = \"reno\"\n\
         [[flow]]\nname = \"x 1\"\nfrom = \"a\"\nto = \"b\"\ncc = \"reno\"\n",
        &["f.toml:12:8: two flows are called 'x 1 1'", "give the group another name"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[change]]\nlink = \"bottleneck\"\nat = \"1 s\"\n",
        &["f.toml:3:1: the change changes nothing"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[change]]\nlink = \"bottleneck\"\nat = \"61 s\"\nrate = \"1 Mbit/s\"\n",
        &["f.toml:5:6: 61 s is not before the end at 60 s"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[change]]\nlink = \"bottelneck\"\nat = \"1 s\"\nrate = \"1 Mbit/s\"\n",
        &["f.toml:4:8: there is no link 'bottelneck'"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[change]]\nlink = \"bottleneck\"\nat = \"1 s\"\nevery = \"1 us\"\nrate = \"1 Mbit/s\"\n",
        &["f.toml:3:1: more than 1000000 changes"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[change]]\nlink = \"bottleneck\"\nat = \"1 s\"\ndirection = \"up\"\nrate = \"1 Mbit/s\"\n",
        &["f.toml:6:13: unknown direction 'up'", "there, back and both"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[[change]]\nlink = \"bottleneck\"\nat = \"1 s\"\nloss = \"1 %\"\noutage = \"1 s\"\n",
        &["f.toml:6:8: loss and outage cannot be given together"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[sweep]\n\"dumbbell.rat\" = [\"1 Mbit/s\", \"2 Mbit/s\"]\n",
        &["f.toml:4:1: [dumbbell] has no field 'rat'", "did you mean 'rate'?"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[sweep]\n\"dumbbell.rate\" = [\"1 Mbit/s\", \"2 Mbots\"]\n",
        &["f.toml:4:32: '2 Mbots' has the unknown unit 'Mbots'"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[sweep]\n\"dumbell.rate\" = [\"1 Mbit/s\"]\n",
        &["f.toml:4:1: 'dumbell.rate' cannot be set", "did you mean 'dumbbell.rate'?"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[sweep]\n\"flow.corss.count\" = [1]\n[[flow]]\nname = \"cross\"\nover = \"bottleneck\"\n",
        &["f.toml:4:1: there is no flow 'corss'", "did you mean 'flow.cross'?"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[sweep]\n\"dumbbell.rate\" = []\n",
        &["f.toml:4:19: 'dumbbell.rate' has no value"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[variant]\nred = \"red\"\n",
        &["f.toml:4:7: a variant is a table of settings", "write [variant.red]"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[variant.red]\n",
        &["f.toml:3:10: the variant 'red' sets nothing"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\n[variant.red]\n\"dumbbell.aqm\" = \"rde\"\n",
        &["f.toml:4:18: unknown queue 'rde'", "did you mean 'red'?"],
    ),
    (
        "cc = \"reno\"\nseeds = 1000\n[dumbbell]\n[sweep]\n\"dumbbell.flows\" = [1, 2, 3]\n[limits]\nruns = 100\n",
        &["f.toml:5:1: 3000 runs; at most 100 are allowed", "raise limits.runs"],
    ),
    (
        "cc = \"reno\"\ntime = \"86400 s\"\n[dumbbell]\nrate = \"100 Gbit/s\"\n",
        &["f.toml:2:8: 8 runs would send about", "raise limits.packets"],
    ),
    (
        "cc = \"reno\"\ntime = \"5 s\"\nseeds = 1\n[dumbbell]\n[[flow]]\nname = \"x\"\nover = \"bottleneck\"\nudp = { rate = \"4000 Gbit/s\", packet = \"1 B\" }\n",
        &["f.toml:2:8: 1 run would send about", "raise limits.packets"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\nflows = 10000\nreverse_flows = 10000\n",
        &["f.toml:3:9: 20000 flows in all; at most 10000 are allowed", "raise limits.flows"],
    ),
    (
        "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\nhops = 1000\n[[flow]]\nname = \"x\"\nover = \"l\"\ncount = 10000\n",
        &["f.toml:11:9: 10000000 flows in all", "raise limits.flows"],
    ),
    (
        "cc = \"reno\"\n[dumbbell]\nrate = \"10 Gbit/s\"\nrtt = \"10 s\"\nbuffer = \"1 bdp\"\n[limits]\nmemory = \"1 GiB\"\n",
        &["f.toml:1:1: a run would need about", "raise limits.memory"],
    ),
];

/// Runs `westwood run f.toml` with this text.
fn refused(text: &str, arguments: &[&str]) -> Run {
    let folder = Folder::new();
    folder.write("f.toml", text);
    let run = folder.run(&[&["run", "f.toml", "--quiet"], arguments].concat());
    assert_eq!(folder.names(), ["f.toml"], "nothing is written");
    run
}

#[test]
fn every_bad_file_is_refused_with_the_place_and_the_mend() {
    let all = [SYNTAX, FIELDS, VALUES, TOPOLOGY, AGENTS, PROXIES, GRIDS].concat();
    assert!(all.len() >= 80, "{}", all.len());
    let mut wrong = Vec::new();
    for (text, parts) in all {
        let run = refused(text, &[]);
        let missing: Vec<_> = parts.iter().filter(|part| !run.stderr.contains(**part)).collect();
        let clean = run.code == Some(2)
            && run.stdout.is_empty()
            && run.stderr.starts_with("error: f.toml:");
        if !missing.is_empty() || !clean {
            wrong.push(format!(
                "--- {text}\nexit {:?}, lacks {missing:?}\n{}",
                run.code, run.stderr
            ));
        }
    }
    assert!(wrong.is_empty(), "{}\n{} wrong", wrong.join("\n"), wrong.len());
}

/// A chain of two links with a flow that everything else refers to.
const CHAIN: &str = r#"cc = ["reno", "bbr"]
nodes = ["a", "b", "c", "d"]

[[link]]
name = "x"
from = "a"
to = "b"
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "1 bdp"
snoop = true

[[link]]
name = "y"
from = "b"
to = "c"
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "1 bdp"

[[flow]]
name = "f"
from = "a"
to = "c"
count = 2

[[change]]
link = "x"
at = "1 s"
rate = "1 Mbit/s"

[measure]
group = "f"
link = "x"

[sweep]
"link.x.rate" = ["1 Mbit/s", "5 Mbit/s"]

[variant.more]
"flow.f.count" = 3
"#;

#[test]
fn one_error_is_one_error() {
    for (from, to, said) in [
        ("to = \"c\"\ncount", "to = \"d\"\ncount", "no links lead from 'a' to 'd' and back"),
        ("to = \"c\"\ncount", "to = \"a\"\ncount", "the flows lead from 'a' to itself"),
        ("to = \"c\"\ncount", "to = \"e\"\ncount", "there is no node 'e'"),
        ("from = \"a\"\nto = \"c\"", "over = \"z\"", "there is no link 'z'"),
        ("count = 2", "path = [\"x\", \"z\"]", "there is no link 'z'"),
        ("count = 2", "path = [\"y\"]", "the links do not lead from end to end"),
        ("to = \"c\"\ncount", "count", "it is not clear where 'f' leads"),
        ("to = \"b\"", "to = \"e\"", "there is no node 'e'"),
        ("to = \"b\"", "to = \"a\"", "the link leads back to the node where it begins"),
        ("link = \"x\"\nat", "link = \"z\"\nat", "there is no link 'z'"),
        ("link = \"x\"\n\n[sweep]", "link = \"z\"\n\n[sweep]", "there is no link 'z'"),
        ("group = \"f\"", "group = \"g\"", "there is no group of flows 'g'"),
        ("\"reno\", \"bbr\"", "\"reno\", \"bbrv2\"", "unknown controller 'bbrv2'"),
    ] {
        assert!(CHAIN.contains(from), "{from}");
        let run = refused(&CHAIN.replacen(from, to, 1), &[]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
        let errors = run.stderr.matches("error: ").count();
        assert_eq!(errors, 1, "{from} -> {to}:\n{}", run.stderr);
    }
}

/// Two ways from a to b, of which flows take the shorter one.
const TWO_WAYS: &str = r#"cc = "reno"
time = "1 s"
seeds = 1

[[link]]
name = "short"
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "10 ms"
buffer = "50 packets"

[[link]]
name = "long"
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "40 ms"
buffer = "50 packets"

[[flow]]
name = "f"
from = "a"
to = "b"

[measure]
link = "long"
"#;

#[test]
fn a_measured_link_that_no_route_leads_over_is_refused_or_said() {
    let run = refused(TWO_WAYS, &[]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("f.toml:27:8: no flow's route leads over 'long'"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("flows cross short and short return"), "{}", run.stderr);
    // At one of two points of a sweep flows do take it.
    let folder = Folder::new();
    let sweep = "\n[sweep]\n\"link.short.delay\" = [\"10 ms\", \"90 ms\"]\n";
    folder.write("f.toml", &format!("{TWO_WAYS}{sweep}"));
    let run = folder.run(&["run", "f.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let said = "Nothing crossed the measured link in 1 of 2 runs";
    assert!(run.stdout.contains(said), "{}", run.stdout);
}

#[test]
fn settings_of_the_command_line_are_refused_as_clearly() {
    let file = "cc = \"reno\"\n[dumbbell]\n";
    for (set, part) in [
        ("dumbbell.rate", "--set: 'dumbbell.rate' is not PATH=VALUE; write dumbbell.rate=10Mbit/s"),
        ("dumbell.rate=1M", "--set: 'dumbell.rate' cannot be set; did you mean 'dumbbell.rate'?"),
        ("flwo.x.cuont=1", "--set: 'flwo.x.cuont' cannot be set; did you mean 'flow.x.count'?"),
        ("dumbell=1", "--set: 'dumbell' cannot be set; write dumbbell.rate, "),
        ("dumbell.zzzzz=1", "--set: 'dumbell.zzzzz' cannot be set; write dumbbell.rate, "),
        ("dumbbell.rat=1M", "--set:1:1: [dumbbell] has no field 'rat'"),
        ("dumbbell.rate=1M,2Q", "--set:1:15: '2Q' has the unknown unit 'Q'"),
        ("dumbbell.rate=", "--set: 'dumbbell.rate' has no value"),
        ("flow.x.count=1", "--set:1:1: there is no flow 'x'"),
        ("link.x.rate=1M", "--set:1:1: there is no link 'x'"),
        ("cc=reno,reno", "--set:1:4: 'reno' is given twice"),
        ("seeds=1,2", "--set:1:1: 'seeds' is the same at every point"),
    ] {
        let run = refused(file, &["--set", set]);
        assert_eq!(run.code, Some(2), "{set}");
        assert!(run.stderr.contains(part), "{set}: {}", run.stderr);
    }
}

#[test]
fn a_field_that_is_set_twice_is_refused() {
    for (twice, part) in [
        (
            ["--set", "dumbbell.loss=1%,2%", "--set", "dumbbell.loss=3%"],
            "--set: 'dumbbell.loss' is set twice; leave one of them out",
        ),
        (["--set", "seeds=1", "--seeds", "2"], "--seeds: cannot be used together with --set seeds"),
    ] {
        let run = refused("cc = \"reno\"\n[dumbbell]\n", &twice);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
}

#[test]
fn a_value_twice_is_one_error() {
    let run = refused("cc = \"reno\"\n[dumbbell]\n[sweep]\n\"dumbbell.flows\" = [1, 1]\n", &[]);
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
    let set = ["--set", "link.x.rate=1M"];
    let run = refused("cc = \"reno\"\n[dumbbell]\n", &set);
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
}

#[test]
fn a_file_that_cannot_be_read_is_refused() {
    let folder = Folder::new();
    let run = folder.run(&["run", "absent.toml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("'absent.toml' cannot be read"), "{}", run.stderr);
    std::fs::write(folder.path().join("f.toml"), [b'a', b'\n', 0xff]).unwrap();
    let run = folder.run(&["run", "f.toml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("line 2 is not UTF-8"), "{}", run.stderr);
}

#[test]
fn a_file_full_of_faults_names_the_first_of_them() {
    let folder = Folder::new();
    let link = |n: u32, to: &str| {
        format!(
            "[[link]]\nname=\"l{n}\"\nfrom=\"x{n}\"\nto=\"{to}\"\nrate=\"1 Mbit/s\"\ndelay=\"1 ms\"\n"
        )
    };
    let links = |count: u32, to: &str| (0..count).map(|n| link(n, to)).collect::<String>();
    let nodes: Vec<String> = (0..200).map(|n| format!("\"node {n}\"")).collect();
    for (text, part) in [
        ("[[link]]\n".repeat(2_000), "[[link]] lacks 'name'"),
        (links(600, "y"), "there are no flows"),
        (format!("nodes = [{}]\n{}", nodes.join(","), links(200, "z")), "there is no node 'x0'"),
    ] {
        folder.write("f.toml", &text);
        let run = folder.run(&["run", "f.toml"]);
        assert_eq!(run.code, Some(2), "{part}: {run:?}");
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}
