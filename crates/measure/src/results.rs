//! The parameters and results that client and server exchange, as JSON.

use serde_json::{Value, json};

use crate::amount::Amount;
use crate::connection_log::{ConnectionLog, ServerCount};
use crate::error::MeasureError;
use crate::stream::{BLOCK, DataStream};

/// The parameters that the server is told. It learns neither the controller, which is this side's
/// own affair, nor a size, of which it would not see the end.
pub(crate) fn parameters(amount: Amount, flows: usize) -> Value {
    let mut parameters = json!({
        "tcp": true,
        "omit": 0,
        "parallel": flows,
        "len": BLOCK,
        "pacing_timer": 1000,
        "client_version": concat!("westwood ", env!("CARGO_PKG_VERSION")),
    });
    match amount {
        Amount::SizeBytes(size) => parameters["num"] = json!(size),
        // The server ends a test that lasts much longer than it was told.
        Amount::TimeMs(time) => parameters["time"] = json!(time.div_ceil(1000)),
    }
    parameters
}

/// The numbers by which iperf3 calls its streams: 1, 3, 4, 5 and so on.
fn stream_id(flow: usize) -> usize {
    if flow == 0 { 1 } else { flow + 2 }
}

pub(crate) fn own_results(streams: &[DataStream], watched: &ConnectionLog) -> Value {
    let of = |(flow, stream): (usize, &DataStream)| {
        json!({
            "id": stream_id(flow),
            "bytes": stream.written(),
            "retransmits": watched.flows[flow].info.total_retrans,
            "jitter": 0,
            "errors": 0,
            "omitted_errors": 0,
            "packets": 0,
            "omitted_packets": 0,
            "start_time": 0,
            "end_time": watched.lasted.as_secs_f64(),
        })
    };
    json!({
        "cpu_util_total": 0,
        "cpu_util_user": 0,
        "cpu_util_system": 0,
        "sender_has_retransmits": 1,
        "streams": streams.iter().enumerate().map(of).collect::<Vec<_>>(),
    })
}

pub(crate) fn received(results: &Value, flows: usize) -> Result<Vec<ServerCount>, MeasureError> {
    let missing = || MeasureError::Server("sends results without this test's streams".to_owned());
    let streams = results["streams"].as_array().ok_or_else(missing)?;
    let of = |flow: usize| {
        let id = stream_id(flow) as u64;
        let stream = streams.iter().find(|stream| stream["id"].as_u64() == Some(id))?;
        let time = |name: &str| stream[name].as_f64();
        let time_s = time("end_time").zip(time("start_time")).map(|(end, start)| end - start);
        Some(ServerCount {
            bytes: stream["bytes"].as_u64()?,
            time_s: time_s.filter(|time_s| *time_s > 0.0),
        })
    };
    (0..flows).map(|flow| of(flow).ok_or_else(missing)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_found_by_iperf3s_numbers_whatever_their_order() {
        let results = json!({"streams": [
            {"id": 4, "bytes": 30},
            {"id": 1, "bytes": 10, "start_time": 0, "end_time": 2.5},
            {"id": 3, "bytes": 20, "start_time": 0, "end_time": 0},
        ]});
        let found = received(&results, 3).unwrap();
        assert_eq!(found.iter().map(|r| r.bytes).collect::<Vec<_>>(), [10, 20, 30]);
        assert_eq!(found.iter().map(|r| r.time_s).collect::<Vec<_>>(), [Some(2.5), None, None]);
        assert!(received(&results, 4).is_err());
        assert!(received(&json!({}), 1).is_err());
    }
}
