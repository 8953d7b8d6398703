//! The page follows from the results, and the results from the code.

use westwood_fidelity::judge::Agreement;
use westwood_fidelity::results::{Results, rounded};
use westwood_fidelity::{Case, RowClass, cases, figure, judge, measure, page, reasons, rows};

fn kept() -> Results {
    Results::parse(include_str!("../../../results/fidelity.csv")).expect("a readable file")
}

fn all() -> Vec<Case> {
    cases::all().expect("readable tables")
}

#[test]
fn the_page_is_what_the_results_make_and_every_excess_has_a_reason() {
    let (cases, kept) = (all(), kept());
    let rows = rows::rows(&cases, &kept).expect("complete results");
    let drops = rows::drop_counts(&cases, &kept).expect("complete results");
    let page = page::render(&rows, drops).expect("explained causes");
    assert!(page == include_str!("../../../docs/evidence/fidelity.md"), "run `make fidelity`");
    let picture = include_str!("../../../docs/pictures/fidelity.svg");
    assert!(figure::figure(&rows) == picture, "run `make fidelity`");
}

#[test]
fn every_reason_is_that_of_a_row_which_exceeds_its_bound() {
    let (cases, kept) = (all(), kept());
    for reason in reasons::all().expect("a readable file") {
        let exceeds = cases.iter().any(|case| {
            case.metrics.iter().any(|metric| {
                let ours = kept.of(&case.name(), &metric.name).expect("a result");
                reason.fits(case.source, &case.scenario, &case.who, &case.params, &metric.name)
                    && judge::judge(metric.class, ours, &metric.theirs).outcome
                        == Agreement::Exceeds
            })
        });
        assert!(exceeds, "{reason:?}");
    }
}

/// Runs these cases anew. A difference to the file is a change of behaviour: `make fidelity` then
/// tells its meaning for agreement.
fn anew(chosen: &[&str]) {
    let (cases, kept) = (all(), kept());
    for name in chosen {
        let case = cases.iter().find(|c| c.name() == *name);
        let case = case.unwrap_or_else(|| panic!("no case '{name}'"));
        for measured in measure::measure(case, case.seeds).expect("a valid network") {
            let now: Vec<f64> = measured.ours.iter().map(|&x| rounded(x)).collect();
            let then = kept.of(&measured.case, &measured.metric).expect("a result");
            assert!(now == then, "{name} {}: {now:?}, kept {then:?}", measured.metric);
        }
        for metric in case.metrics.iter().filter(|m| m.class != RowClass::Information) {
            let ours = kept.of(name, &metric.name).expect("a result");
            let verdict = judge::judge(metric.class, ours, &metric.theirs);
            assert_eq!(verdict.outcome, Agreement::Within, "{name} {}: {verdict:?}", metric.name);
        }
    }
}

#[test]
fn ns2_without_chance() {
    anew(&[
        "ns-2,S3,newreno,bufbdp=0.1",
        "ns-2,S3,newreno,bufbdp=0.5",
        "ns-2,S3,newreno,bufbdp=1.0",
        "ns-2,S3,sack,bufbdp=0.1",
        "ns-2,S3,sack,bufbdp=0.5",
        "ns-2,S3,sack,bufbdp=1.0",
        "ns-2,S4,newreno,bw=1e6;per=0",
        "ns-2,S7,reno,per=0;wire=400",
        "ns-2-other,D,reno,bw=5e6;rtt=0.2;bufbdp=0.1;per=0",
        "ns-2-other,D,vegas,bw=10e6;rtt=0.1;bufbdp=0.25;per=0",
        // Its first packet takes seven times as long as the path.
        "ns-2-other,D,vegas,bw=149000;rtt=0.016;buf=2;per=0;vdack=1;ts=1",
    ]);
}

#[test]
fn ns2_with_random_loss_and_with_many_flows() {
    anew(&[
        "ns-2,S4,newreno,bw=1e6;per=0.004",
        "ns-2,S7,newreno,per=0.02;wire=400",
        "ns-2,S7,reno,per=0.02;wire=400",
        "ns-2,S8,newreno,wire=400",
        "ns-2-other,D,vegas,bw=1e6;rtt=0.1;bufbdp=1;per=1e-2",
    ]);
}

#[test]
fn linux_without_chance() {
    anew(&[
        "linux,L1,reno,",
        "linux,L1,cubic,",
        "linux,L1,westwood,",
        "linux,L1,vegas,",
        "linux,L1,bic,",
        "linux,L1,bbr,",
        "linux,L3,reno,bufbdp=0.1",
        "linux,L3,westwood,bufbdp=0.1",
        "linux,L3,westwood,bufbdp=0.5",
        "linux,L3,westwood,bufbdp=0.1;variant=fq",
        // Less than 20 ms: reports are gathered for less than a millisecond.
        "linux,L7,reno,rate=14.85;rtt=8;buffer=4",
        "linux,L9,illinois,rate=3.75;rtt=76;buffer=44",
        "linux,L9,hybla,rate=9.44;rtt=118;buffer=92",
        "linux,L9,yeah,rate=2.25;rtt=11;buffer=4",
        "linux,L9,veno,rate=6.76;rtt=105;buffer=55",
        "linux,L9,htcp,rate=2.62;rtt=128;buffer=8",
        "linux,L9,dctcp,rate=2.04;rtt=116;buffer=12;mark=2",
        "linux,L9,highspeed,rate=2.08;rtt=24;buffer=4",
        "linux,L9,scalable,rate=4.27;rtt=33;buffer=11",
        "linux,L9,nv,rate=3.29;rtt=60;buffer=11",
        "linux,L10,reno,rate=2.25;rtt=22;buffer=12;aqm=tbf",
        "linux,L10,reno,rate=3.69;rtt=22;buffer=15;aqm=cake",
        "linux,L11,cubic,rate=2.59;rtts=59+14;buffer=28;gap=1.24;aqm=cake",
        "linux,L12,reno,rate=5.78;rtt=52;buffer=72;aqm=fq_codel;ecn=1",
        "linux,L12,cubic,rate=31.9;rtt=61;buffer=594;aqm=codel;ecn=1",
        "linux,L12,reno,rate=14.94;rtt=13;buffer=41;aqm=cake;ecn=1",
        "linux,L13,cubic,rate=10.84;rtt=13;buffer=4;fq=1",
        "linux,L13,westwood,rate=3.9;rtt=162;buffer=16;fq=1",
        "linux,L15,bic,rate=5.95;rtt=109;buffer=60;return=0.21;acks=4",
        "linux,L15,westwood,rate=7.76;rtt=119;buffer=83;return=0.042;acks=19",
        "linux,L14,htcp,trace=wifi;seed=18;length=60;most=4;rtt=84;buffer=12",
        "linux,L14,westwood,trace=leo;seed=3;length=60;most=10;rtt=52;buffer=43",
        "linux,L14,illinois,trace=lte;seed=512;length=60;most=12;rtt=145;buffer=457",
        "linux,L17,bic,rate=8.94;rtt=30;buffer=19;ts=0",
        "linux,L17,cubic,rate=7.8;rtt=162;buffer=24;gso=1",
        "linux,L17,reno,rate=4.46;rtt=58;buffer=87;mtu=576",
        "linux,L17,westwood,rate=19.05;rtt=32;buffer=13;police=2.79;burst=23",
        "linux,L18,westwood,rate=4.09;rtts=13+13;buffer=4;gap=0.39;beside=reno",
    ]);
}

#[test]
fn linux_with_random_loss() {
    anew(&["linux,L2,reno,loss=0.01", "linux,L2,cubic,loss=0.01", "linux,L2,westwood,loss=0.01"]);
}

#[test]
fn linux_modules_that_draw_or_meet_random_loss() {
    anew(&[
        "linux,L9,cdg,rate=3.01;rtt=12;buffer=4",
        "linux,L9,htcp,rate=3.91;rtt=117;buffer=17;loss=0.00084",
        "linux,L13,reno,rate=34.04;rtt=12;buffer=10;p=0.0019;r=0.44",
    ]);
}
