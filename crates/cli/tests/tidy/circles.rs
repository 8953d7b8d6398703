//! Circles between the files of a crate: one file uses another, which uses the first.
//!
//! An edge leads from a file to each file that defines an item whose path the first one writes:
//! `use crate::a::B`, `super::b()`, `child::C`. A re-export leads to the file that defines the item.
//! A re-export alone is no use of it, and tests inside a file are left aside.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path of modules from the crate's root, and an item at its end.
type Path = Vec<String>;

/// A name that a module takes from elsewhere.
struct Import {
    /// Its name in the module; `*` stands for all names.
    name: String,
    target: Path,
    is_public: bool,
}

#[derive(Default)]
struct Module {
    file: String,
    imports: Vec<Import>,
    /// Paths in the module's code, its imports apart.
    paths: Vec<Path>,
    /// Every name in the module's code, its imports apart.
    words: BTreeSet<String>,
}

/// The modules of a crate, by their paths.
#[derive(Default)]
pub(crate) struct Crate {
    modules: BTreeMap<Path, Module>,
}

/// Files, and the files that each uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

impl Crate {
    /// Reads the sources of a crate: names below its `src`, and their contents.
    pub(crate) fn read<'a>(sources: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut read = Self::default();
        for (file, contents) in sources.filter(|(file, _)| *file != "main.rs") {
            let tokens: TokenStream = contents.parse().unwrap_or_else(|e| panic!("{file}: {e}"));
            read.take_module(module_path(file), file, tokens);
        }
        read
    }

    fn take_module(&mut self, path: Path, file: &str, tokens: TokenStream) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let inner = take_tokens(tokens, &path, &mut module);
        for (name, tokens) in inner {
            self.take_module(joined(&path, [name]), file, tokens);
        }
        self.modules.insert(path, module);
    }

    /// The groups of files that reach one another, each with its files in order.
    pub(crate) fn circles(&self) -> Vec<Vec<String>> {
        let graph = self.graph();
        let reach: Graph =
            graph.keys().map(|file| (file.clone(), reachable(&graph, file))).collect();
        let mut circles = BTreeSet::new();
        for (file, reached) in &reach {
            let circle: Vec<String> =
                reached.iter().filter(|other| reach[*other].contains(file)).cloned().collect();
            if !circle.is_empty() {
                circles.insert(circle);
            }
        }
        circles.into_iter().collect()
    }

    /// The edges between the files of a circle, which show where to break it.
    pub(crate) fn edges(&self, circle: &[String]) -> Vec<String> {
        let graph = self.graph();
        let inside = |file: &String| circle.contains(file);
        let edges = graph.iter().filter(|(file, _)| inside(file)).flat_map(|(file, used)| {
            used.iter().filter(|other| inside(other)).map(move |other| format!("{file} -> {other}"))
        });
        edges.collect()
    }

    fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        for (path, module) in &self.modules {
            let imports = module
                .imports
                .iter()
                .filter(|import| !import.is_public || module.words.contains(&import.name));
            let imported = imports.filter_map(|import| self.defining_file(&import.target));
            let written = module.paths.iter().filter_map(|p| self.defining_file_from(path, p));
            let used: BTreeSet<String> = imported.chain(written).collect();
            graph.entry(module.file.clone()).or_default().extend(used);
        }
        for (file, used) in &mut graph {
            used.remove(file);
        }
        graph
    }

    /// The file of the item that a path of a module's code leads to, if it is the crate's.
    fn defining_file_from(&self, module: &Path, path: &Path) -> Option<String> {
        let target = match path[0].as_str() {
            "crate" | "self" | "super" => absolute(module, path),
            _ => joined(&self.found_in(module, &path[0], 0)?, path[1..].iter().cloned()),
        };
        self.defining_file(&target)
    }

    /// The file that defines the item at the end of a path; none for a module and for a stranger.
    fn defining_file(&self, target: &Path) -> Option<String> {
        let mut module = Path::new();
        for name in target {
            let found = self.found_in(&module, name, 0);
            match found {
                Some(inner) if self.modules.contains_key(&inner) => module = inner,
                Some(item) => {
                    return self.modules.get(&item[..item.len() - 1]).map(|m| m.file.clone());
                }
                // The item is the module's own.
                None => return Some(self.modules[&module].file.clone()),
            }
        }
        None
    }

    /// The place where a name of a module is defined, through re-exports: a module's path, or the
    /// path of an item.
    fn found_in(&self, module: &Path, name: &str, depth: usize) -> Option<Path> {
        let child = joined(module, [name.to_owned()]);
        if self.modules.contains_key(&child) || depth > 8 {
            return Some(child);
        }
        let imports = &self.modules.get(module)?.imports;
        let import = imports.iter().find(|import| import.name == name)?;
        let (last, folder) = import.target.split_last()?;
        let mut place = Path::new();
        for name in folder {
            place = self.found_in(&place, name, depth + 1)?;
        }
        Some(
            self.found_in(&place, last, depth + 1)
                .unwrap_or_else(|| joined(&place, [last.clone()])),
        )
    }
}

fn reachable(graph: &Graph, file: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        for used in graph.get(file).into_iter().flatten() {
            if reached.insert(used.clone()) {
                open.push(used);
            }
        }
    }
    reached
}

fn joined(path: &[String], more: impl IntoIterator<Item = String>) -> Path {
    path.iter().cloned().chain(more).collect()
}

/// The module of a file: `a::b` is in `a/b` with the ending of a source, or in the folder `a/b`.
fn module_path(file: &str) -> Path {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    if stem == "lib" { Path::new() } else { stem.split('/').map(str::to_owned).collect() }
}

/// A path that begins with `crate`, `self` or `super`, from the root; any other as from a module.
fn absolute(module: &[String], path: &[String]) -> Path {
    let mut base = module.to_vec();
    let mut rest = path;
    while let Some((first, more)) = rest.split_first() {
        match first.as_str() {
            "crate" => base.clear(),
            "super" => drop(base.pop()),
            "self" => {}
            _ => break,
        }
        rest = more;
    }
    joined(&base, rest.iter().cloned())
}

/// Takes the imports, paths and words of a module, and answers the modules inside it.
fn take_tokens(
    tokens: TokenStream,
    path: &Path,
    module: &mut Module,
) -> Vec<(String, TokenStream)> {
    let mut inner = Vec::new();
    let mut is_public = false;
    let mut is_test = false;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "use" => {
                let tree: Vec<_> =
                    tokens.by_ref().take_while(|token| !is_punct(token, ';')).collect();
                if !is_test {
                    take_imports(&tree, &[], path, is_public, module);
                }
            }
            TokenTree::Ident(word) if word == "mod" => {
                let (Some(name), Some(body)) = (tokens.next(), tokens.next()) else { break };
                if let (TokenTree::Group(body), false) = (body, is_test) {
                    inner.push((name.to_string(), body.stream()));
                }
            }
            TokenTree::Ident(word) if word == "pub" => {
                is_public = true;
                tokens.next_if(|token| matches!(token, TokenTree::Group(_)));
                continue;
            }
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                let attribute = tokens.next_if(|token| matches!(token, TokenTree::Group(_)));
                is_test |= attribute.is_some_and(|group| {
                    group.to_string() == "[cfg (test)]" || group.to_string() == "[cfg(test)]"
                });
                continue;
            }
            TokenTree::Ident(word) => take_path(word.to_string(), &mut tokens, module),
            TokenTree::Group(group) => inner.extend(take_tokens(group.stream(), path, module)),
            _ => {}
        }
        (is_public, is_test) = (false, false);
    }
    inner
}

type Tokens = std::iter::Peekable<proc_macro2::token_stream::IntoIter>;

/// Takes `word::word::word`, of which the first has been read.
fn take_path(first: String, tokens: &mut Tokens, module: &mut Module) {
    module.words.insert(first.clone());
    let mut path = vec![first];
    while tokens.next_if(|token| is_punct(token, ':')).is_some() {
        if tokens.next_if(|token| is_punct(token, ':')).is_none() {
            break;
        }
        match tokens.next_if(|token| matches!(token, TokenTree::Ident(_))) {
            Some(word) => path.push(word.to_string()),
            None => break,
        }
    }
    module.words.extend(path.iter().cloned());
    if path.len() > 1 {
        module.paths.push(path);
    }
}

/// Takes the tokens between `use` and `;`, after the path `before`.
fn take_imports(
    tree: &[TokenTree],
    before: &[String],
    path: &[String],
    is_public: bool,
    module: &mut Module,
) {
    let mut target = before.to_vec();
    let mut name = None;
    let mut tokens = tree.iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "as" => {
                name = tokens.next().map(ToString::to_string);
            }
            TokenTree::Ident(word) => target.push(word.to_string()),
            TokenTree::Punct(mark) if mark.as_char() == '*' => target.push("*".to_owned()),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                for part in inside.split(|token| is_punct(token, ',')).filter(|p| !p.is_empty()) {
                    take_imports(part, &target, path, is_public, module);
                }
                return;
            }
            _ => {}
        }
    }
    if target.len() > 1 && target.last().is_some_and(|last| last == "self") {
        target.pop();
    }
    let name = name.or_else(|| target.last().cloned()).unwrap_or_default();
    let target = absolute(path, &target);
    module.imports.push(Import { name, target, is_public });
}

fn is_punct(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}
