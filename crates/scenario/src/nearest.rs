//! The name that a user probably meant.

use crate::sorting::sort_by;

/// The name nearest to `given`, if one is near enough to be meant.
///
/// Near is a third of the letters wrong, letters swapped counting once, or one name beginning with
/// the other. Case does not count.
///
/// ```
/// use westwood_scenario::nearest;
/// assert_eq!(nearest("wetswood", ["reno", "westwood"]), Some("westwood"));
/// assert_eq!(nearest("tachyon", ["reno", "westwood"]), None);
/// ```
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given: Vec<char> = given.to_ascii_lowercase().chars().take(64).collect();
    let scored = names.into_iter().filter_map(|name| {
        let letters: Vec<char> = name.to_ascii_lowercase().chars().collect();
        let far = distance(&given, &letters);
        let longer = given.len().max(letters.len());
        let begins = given.len() >= 2 && letters.starts_with(&given)
            || letters.len() >= 3 && given.starts_with(&letters);
        (begins || far * 3 <= longer).then_some((far, name))
    });
    scored.min_by_key(|(far, _)| *far).map(|(_, name)| name)
}

/// The names nearest to `given`, the nearest one first, be they near enough to be meant or not.
pub(crate) fn nearest_few<'a>(given: &str, names: &[&'a str], count: usize) -> Vec<&'a str> {
    let given: Vec<char> = given.to_ascii_lowercase().chars().take(64).collect();
    let far = |name: &str| -> usize {
        distance(&given, &name.to_ascii_lowercase().chars().collect::<Vec<char>>())
    };
    let mut sorted: Vec<(usize, &str)> = names.iter().map(|name| (far(name), *name)).collect();
    sort_by(&mut sorted, |(a, _), (b, _)| a.cmp(b));
    sorted.into_iter().take(count).map(|(_, name)| name).collect()
}

/// Edits that turn one word into the other: insert, delete, replace, swap two neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let differs = usize::from(a[i - 1] != b[j - 1]);
            let mut best =
                (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + differs);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit_is_near_and_another_word_is_not() {
        let names = ["reno", "cubic", "westwood+"];
        assert_eq!(nearest("Cubik", names), Some("cubic"));
        assert_eq!(nearest("rneo", names), Some("reno"));
        assert_eq!(nearest("westwood", names), Some("westwood+"));
        assert_eq!(nearest("fast", names), None);
        assert_eq!(nearest("", names), None);
    }
}
