//! Loading, finding and unloading controllers.
//!
//! A controller is registered by the value of its `struct_ops` map. That registration holds the map,
//! and the map its programs, so it outlives the process without a pin in bpffs. It is one call: a
//! loader that is killed has either registered the whole controller, or the kernel frees what it had
//! made. Unregistering takes the name away; connections, sockets that chose the controller and network
//! namespaces whose default it is hold the programs on.

use libbpf_rs::query::MapInfoIter;
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType, ObjectBuilder, OpenObject};
use westwood_scenario::spec::ControllerSpec;

use crate::controller::{CONTROLLERS, KernelController};
use crate::environment::{self, LibbpfMessages};
use crate::error::KernelError;
use crate::parameters::words;
use crate::prior;
pub use crate::prior::RestoredDefault;
use crate::status::{Counts, Maps, Status, StructOpsUse};

/// Every map of ours has one value.
pub(crate) const KEY: [u8; 4] = [0; 4];

/// A controller in the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The controller.
    pub controller: KernelController,
    /// It with its parameters, as in the simulator.
    pub spec: String,
    /// Connections that use it at present, in all network namespaces.
    pub users: u32,
    /// References that no connection has: of network namespaces whose default it is, and of sockets
    /// that are not connected, such as listeners.
    pub holders: u32,
    /// Connections that have used it.
    pub opened: u32,
    /// Changes of a connection's congestion state that the kernel did not tell the controller, and for
    /// which it made up at the next ACK (docs/evidence/kernel.md, "Calls that the kernel leaves out").
    pub made_up: u64,
    /// False once it is unloaded: then only connections and holders keep it.
    pub registered: bool,
    /// New sockets of this network namespace use it unless they choose.
    pub is_default: bool,
    /// The kernel's numbers of its maps.
    pub(crate) maps: Maps,
}

impl Loaded {
    /// The kernel's number of the map that registers it. A controller that is loaded again under the
    /// name of one that is leaving has another.
    pub fn id(&self) -> u32 {
        self.maps.struct_ops
    }
}

/// Every controller of ours in the kernel, those that are unloaded and kept included.
pub fn loaded() -> Result<Vec<Loaded>, KernelError> {
    environment::root()?;
    let default = environment::default_controller()?;
    let found = MapInfoIter::default()
        .filter(|info| info.ty == MapType::Array && info.name == *Status::MAP);
    let mut all: Vec<Loaded> = found.filter_map(|info| examine(info.id)).collect();
    all.sort_by_key(|l| (CONTROLLERS.iter().position(|c| *c == l.controller), !l.registered));
    // Of two with the name the registered one comes first.
    if let Some(used) = all.iter_mut().find(|l| l.controller.name == default) {
        used.is_default = true;
    }
    Ok(all)
}

/// The content of a status map; none if it is not of ours or is just going away.
fn examine(status_map: u32) -> Option<Loaded> {
    let status = Status::from_bytes(&value(status_map)?)?;
    let controller = CONTROLLERS.into_iter().find(|c| c.name == status.name)?;
    crate::record::tidy(status.maps);
    let held = StructOpsUse::from_bytes(&value(status.maps.struct_ops)?)?;
    let counts = Counts::from_bytes(&value(status.maps.counts)?)?;
    if !held.registered && held.by_users() == 0 {
        return None;
    }
    let (users, holders) = users_and_holders(held, counts);
    Some(Loaded {
        controller,
        spec: status.spec,
        users,
        holders,
        opened: counts.opened,
        made_up: counts.made_up,
        registered: held.registered,
        is_default: false,
        maps: status.maps,
    })
}

/// Connections, and the references that are none of theirs.
fn users_and_holders(held: StructOpsUse, counts: Counts) -> (u32, u32) {
    // The kernel may leave out the call that tells of a connection's end, but not let go without it.
    let users = counts.users.min(held.by_users());
    (users, held.by_users() - users)
}

/// The only value of a map, if map and value are there.
pub(crate) fn value(map: u32) -> Option<Vec<u8>> {
    MapHandle::from_map_id(map).ok()?.lookup(&KEY, MapFlags::ANY).ok()?
}

/// How many maps of controllers and of recorders the kernel holds: of those that are leaving as well,
/// and of what it has not freed yet.
pub fn maps() -> usize {
    let ours =
        |name: &str| name.starts_with("westwood_") || CONTROLLERS.iter().any(|c| c.name == name);
    MapInfoIter::default().filter(|info| ours(&info.name.to_string_lossy())).count()
}

/// The registered controller of this name.
pub fn find(controller: &KernelController) -> Result<Loaded, KernelError> {
    loaded()?
        .into_iter()
        .find(|l| l.registered && l.controller == *controller)
        .ok_or(KernelError::NotLoaded(controller.name))
}

/// The only registered controller.
pub fn only() -> Result<Loaded, KernelError> {
    let mut registered: Vec<Loaded> = loaded()?.into_iter().filter(|l| l.registered).collect();
    if registered.len() > 1 {
        let names = registered.iter().map(|l| l.controller.name).collect();
        return Err(KernelError::Several(names));
    }
    registered.pop().ok_or(KernelError::NothingLoaded)
}

/// The outcome of loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadOutcome {
    /// The controller is there now.
    New,
    /// It was there with the same parameters.
    Already,
}

/// Loads a controller, and makes it the default of this network namespace if asked to.
///
/// It stays until [`unload`] or a reboot.
pub fn load(
    controller: &KernelController,
    spec: &ControllerSpec,
    default: bool,
) -> Result<LoadOutcome, KernelError> {
    environment::ready()?;
    let loading = match find(controller) {
        Ok(present) if present.spec == spec.to_string() => LoadOutcome::Already,
        Ok(present) => {
            return Err(KernelError::AlreadyLoaded { name: controller.name, spec: present.spec });
        }
        Err(KernelError::NotLoaded(_)) => {
            if environment::available()?.iter().any(|name| name == controller.name) {
                return Err(KernelError::NameTaken(controller.name));
            }
            register(controller, spec)?;
            LoadOutcome::New
        }
        Err(error) => return Err(error),
    };
    if default {
        prior::make_default(&find(controller)?)?;
    }
    Ok(loading)
}

fn register(controller: &KernelController, spec: &ControllerSpec) -> Result<(), KernelError> {
    let quietly = LibbpfMessages::new();
    let mut object = open(controller.object, &quietly)?;
    let raw: Vec<u8> = words(spec).iter().flat_map(|word| word.to_ne_bytes()).collect();
    for mut map in object.maps_mut() {
        if map.name().to_string_lossy().ends_with(".rodata")
            && let Some(initial) = map.initial_value_mut().filter(|v| v.len() == raw.len())
        {
            initial.copy_from_slice(&raw);
        }
    }
    let mut object = object.load().map_err(|e| quietly.refused("the controller's programs", &e))?;
    let id = |name: &str| {
        let map = object.maps().find(|m| m.name() == name)?;
        map.info().ok().map(|info| info.info.id)
    };
    let id = |name: &str| id(name).unwrap_or_default();
    let status = Status {
        maps: Maps {
            struct_ops: id(controller.name),
            counts: id("westwood_counts"),
            rings: id("westwood_rings"),
            listen: id("westwood_listen"),
            prior: id("westwood_prior"),
        },
        name: controller.name.to_owned(),
        spec: spec.to_string(),
    };
    write_status(id(Status::MAP), &status)?;
    for mut map in object.maps_mut().filter(|m| m.name() == controller.name) {
        let mut link =
            map.attach_struct_ops().map_err(|e| quietly.refused("the registration", &e))?;
        // Handles dropped now take nothing away: the kernel holds the registration.
        link.disconnect();
    }
    Ok(())
}

pub(crate) fn open(object: &[u8], quietly: &LibbpfMessages) -> Result<OpenObject, KernelError> {
    ObjectBuilder::default()
        .open_memory(object)
        .map_err(|e| quietly.refused("the programs' description", &e))
}

fn write_status(map: u32, status: &Status) -> Result<(), KernelError> {
    MapHandle::from_map_id(map)
        .and_then(|map| map.update(&KEY, &status.to_bytes(), MapFlags::ANY))
        .map_err(|e| KernelError::Refused {
            step: "the controller's description",
            why: e.to_string(),
            log: String::new(),
        })
}

/// The outcome of unloading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unloaded {
    /// The default that this network namespace has now, if the controller was its default.
    pub default: Option<RestoredDefault>,
    /// Connections that keep the controller until they end.
    pub users: u32,
    /// Other references, as in [`Loaded::holders`]: new connections still get the controller there.
    pub holders: u32,
}

/// Takes a controller's name away. If it is the default of this network namespace, the default of
/// before is put back first, even if the name was taken away earlier. Connections that use it keep it
/// until they end.
pub fn unload(loaded: &Loaded) -> Result<Unloaded, KernelError> {
    let default =
        if loaded.is_default { Some(prior::restore(loaded.controller.name)?) } else { None };
    let maps = loaded.maps;
    if loaded.registered {
        MapHandle::from_map_id(maps.struct_ops).and_then(|map| map.delete(&KEY)).map_err(|e| {
            KernelError::Refused { step: "the unloading", why: e.to_string(), log: String::new() }
        })?;
    }
    // Without references the maps are gone.
    let held = value(maps.struct_ops).and_then(|bytes| StructOpsUse::from_bytes(&bytes));
    let counts = value(maps.counts).and_then(|bytes| Counts::from_bytes(&bytes));
    let (users, holders) = held.zip(counts).map_or((0, 0), |(held, c)| users_and_holders(held, c));
    Ok(Unloaded { default, users, holders })
}
