// The address of the page: the experiment behind `#`, as `westwood run LINK` reads it; before that, as a query that no
// server needs to know of, the experiment beside it and the lesson.

import { BadAddress, experimentOfPage, fromAddress, toAddress } from "../engine/address";

/** The state of the page that a link shares. */
export interface PageState {
  /** The experiment; undefined of a page that was opened without a link. */
  readonly toml: string | undefined;
  /** The experiment beside it. */
  readonly beside: string | undefined;
  /** The lesson that is open. */
  readonly lesson: string | undefined;
}

/** The part of an address behind the name of the page. */
export async function writeState(state: PageState): Promise<string> {
  const query = new URLSearchParams();
  if (state.lesson !== undefined) query.set("lesson", state.lesson);
  if (state.beside !== undefined) query.set("beside", (await toAddress(state.beside)).slice(1));
  const words = query.toString();
  return `${words === "" ? "" : `?${words}`}${state.toml === undefined ? "#" : await toAddress(state.toml)}`;
}

/** The state in an address, from `?` or `#` on. Throws BadAddress if it is damaged. */
export async function readState(search: string, hash: string): Promise<PageState> {
  const query = new URLSearchParams(search);
  const beside = query.get("beside");
  const toml = await fromAddress(hash);
  // Where a link ends too early the first of two experiments is lost, and the second would stand alone.
  if (beside !== null && toml === undefined) throw new BadAddress("The link has lost the experiment behind its #: copy the whole link.");
  const second = beside === null ? undefined : await fromAddress(`#${beside}`, "Experiment B of the link");
  if (beside !== null && second === undefined) throw new BadAddress("The link has lost experiment B: copy the whole link.");
  return { toml, beside: second, lesson: query.get("lesson") ?? undefined };
}

/** The state in this page's own address, or the experiment that the command has put into it. */
export async function stateOfPage(): Promise<PageState> {
  const state = await readState(location.search, location.hash);
  return { ...state, toml: state.toml ?? (await experimentOfPage()) };
}
