//! `like = "ns-2"`: a preset's settings go where the file says nothing itself.

use super::node::{Node, TableEntry, TomlTable, TomlValue};
use super::settings::Tcp;
use crate::presets;

/// The tables with the settings of their preset. A preset that does not exist is left for the reader
/// of the tables to refuse.
pub(super) fn filled(mut tree: TomlTable) -> TomlTable {
    let Some(Node { value: TomlValue::Text(name), place }) =
        tree.get("like").map(|e| e.node.clone())
    else {
        return tree;
    };
    let Ok(preset) = presets::named(&name) else {
        return tree;
    };
    for setting in preset.settings {
        let key = setting.name.replace('-', "_");
        let node = Node { value: TomlValue::Text(setting.value.to_owned()), place };
        for table in tables_of(&mut tree, &key, &node) {
            if table.get(&key).is_none() {
                table.entries.push(TableEntry { key: key.clone(), place, node: node.clone() });
            }
        }
    }
    tree
}

/// True if a file has a place for a preset's setting.
#[cfg(test)]
fn has_place(setting: &presets::PresetSetting) -> bool {
    let key = setting.name.replace('-', "_");
    key == "cc" || is_of_links(&key) || is_transport(&key)
}

/// The settings that a preset gives every link.
pub(super) fn is_of_links(key: &str) -> bool {
    matches!(key, "buffer_in_service" | "wake_up")
}

fn is_transport(key: &str) -> bool {
    Tcp::SECTION.fields.iter().any(|field| field.name == key)
}

/// The tables that a setting belongs to: transport settings to `[tcp]`, those of links to every one, the
/// controllers to the top.
fn tables_of<'a>(tree: &'a mut TomlTable, key: &str, like: &Node) -> Vec<&'a mut TomlTable> {
    if key == "cc" {
        return vec![tree];
    }
    if is_transport(key) && tree.get("tcp").is_none() {
        let node = Node { value: TomlValue::Table(TomlTable::default()), place: like.place };
        tree.entries.push(TableEntry { key: "tcp".to_owned(), place: like.place, node });
    }
    let wanted: &[&str] = if is_transport(key) { &["tcp"] } else { &["dumbbell", "link"] };
    let mut tables = Vec::new();
    for entry in tree.entries.iter_mut().filter(|entry| wanted.contains(&entry.key.as_str())) {
        match &mut entry.node.value {
            TomlValue::Table(table) => tables.push(table),
            TomlValue::List(nodes) => {
                tables.extend(nodes.iter_mut().filter_map(|node| match &mut node.value {
                    TomlValue::Table(table) => Some(table),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::super::Scenario;
    use super::*;
    use crate::presets::PRESETS;
    use westwood_cc::Duration;
    use westwood_sim::Traffic;
    use westwood_tcp::AckPolicy;

    fn scenario(text: &str) -> Scenario {
        let read = |_: &std::path::Path| Err(String::new());
        Scenario::parse("f", text, &[], &read).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn every_setting_of_every_preset_has_a_place_in_a_file() {
        for preset in PRESETS {
            let lost = preset.settings.iter().find(|setting| !has_place(setting));
            assert_eq!(lost, None, "{}", preset.name);
            let text = format!("like = \"{}\"\ncc = \"reno\"\ndumbbell = {{}}", preset.name);
            assert_eq!(scenario(&text).like(), Some(preset.name));
        }
    }

    #[test]
    fn the_kernels_that_a_preset_is_of_decide_how_long_its_receivers_window_grows() {
        for (like, segments) in [("linux", 2_880), ("linux-6.18", 1_449)] {
            let text = format!("like = \"{like}\"\ncc = \"reno\"\ndumbbell = {{}}");
            let scenario = scenario(&text);
            let network = scenario.build(&scenario.points()[0], 1).unwrap().network;
            let Traffic::Tcp(tcp, _) = &network.flows[0].traffic else { panic!("not TCP") };
            assert_eq!(tcp.config.acks, AckPolicy::Linux { growth: segments }, "{like}");
        }
    }

    #[test]
    fn the_longest_timeout_is_that_of_the_kernel_of_the_rfc_and_of_ns_2() {
        // `TCP_RTO_MAX`, RFC 6298 section 2.5 and `maxrto_`.
        for (like, seconds) in [("linux", 120), ("linux-6.18", 120), ("rfc", 60), ("ns-2", 60)] {
            let text = format!("like = \"{like}\"\ncc = \"reno\"\ndumbbell = {{}}");
            let scenario = scenario(&text);
            let network = scenario.build(&scenario.points()[0], 1).unwrap().network;
            let Traffic::Tcp(tcp, _) = &network.flows[0].traffic else { panic!("not TCP") };
            assert_eq!(tcp.config.rto.max, Duration::from_secs(seconds), "{like}");
        }
    }

    #[test]
    fn what_the_file_says_itself_wins_over_the_preset() {
        let text = "like = \"ns-2\"\ncc = \"reno\"\ndumbbell = {}\n[tcp]\ninitial_window = 3";
        let scenario = scenario(text);
        let network = scenario.build(&scenario.points()[0], 1).unwrap().network;
        let Traffic::Tcp(tcp, _) = &network.flows[0].traffic else { panic!("not TCP") };
        assert_eq!(tcp.config.initial_window.whole(), 3);
        assert_eq!(tcp.config.recovery.name(), "newreno");
        assert!(tcp.config.handshake_rtt.is_some());
    }
}
