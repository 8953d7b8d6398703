// A first look in words: how much of the whole experiment it is.

import type { Plan } from "../engine/api";
import { plain, withUnit } from "../page/number";
import { settingWords } from "./places";

/** The words about a look at so much of the whole. */
export function firstLook(look: Plan, whole: Plan): string {
  const settings = settingWords(whole.points[0]?.settings ?? {});
  const [points, all] = [look.points.length, whole.points.length];
  const parts = [
    ...(points < all ? [`${points} of ${withUnit(all, "points")}${settings === "" ? "" : ` (${settings})`}`] : []),
    look.time_s < whole.time_s ? `the first ${plain(look.time_s)} of ${withUnit(plain(whole.time_s), "s")}` : `all ${withUnit(plain(whole.time_s), "s")}`,
    look.seeds.length < whole.seeds.length ? `${look.seeds.length} of ${withUnit(whole.seeds.length, "seeds")}` : withUnit(look.seeds.length, look.seeds.length === 1 ? "seed" : "seeds"),
  ];
  return `A first look, and no result yet: ${parts.join(", ")}.`;
}
