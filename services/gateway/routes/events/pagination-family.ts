import { Refusal } from "#contracts/errors.ts";
import type { EventsQuery } from "#contracts/http/events/seismic-events.ts";

/** The parameters of one strategy only; `limit` belongs to offset and cursor. */
const FAMILIES = {
  page: ["page", "pageSize"],
  offset: ["offset"],
  cursor: ["cursor", "direction", "pagination"],
} as const satisfies Record<string, readonly (keyof EventsQuery)[]>;

type Family = keyof typeof FAMILIES;

/**
 * The pagination strategy for the given parameters: a limit alone means limit/offset, none the first
 * page.
 * @throws Refusal VALIDATION_ERROR when parameters of two strategies are mixed
 */
export function paginationFamily(query: EventsQuery): Family {
  const presentOf = (names: readonly (keyof EventsQuery)[]) =>
    names.filter((name) => query[name] !== undefined);
  const chosen = (Object.keys(FAMILIES) as Family[]).filter(
    (family) => presentOf(FAMILIES[family]).length > 0,
  );
  const [family = query.limit === undefined ? "page" : "offset"] = chosen;
  const mixed = chosen.length > 1 || (family === "page" && query.limit !== undefined);
  if (mixed) throw mixedFamilies(presentOf([...Object.values(FAMILIES).flat(), "limit"]));
  return family;
}

function mixedFamilies(names: readonly string[]): Refusal {
  const message = "cannot be combined: they belong to different ways of paging";
  return new Refusal("VALIDATION_ERROR", `${names.join(", ")} ${message}`, {
    details: names.map((field) => ({ field, message })),
  });
}
