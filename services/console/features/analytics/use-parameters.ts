import { useLocation } from "wouter-preact";
import { FILTER_NAMES } from "#contracts/query/filters.ts";
import { workStateOf } from "../../model/work-state.ts";
import type { Change } from "../../ui/use-work-state.ts";

/** Sets parameters of the page's address; empty ones are taken out of it. */
export type SetParameters = (
  values: Readonly<Record<string, string>>,
  how: "push" | "replace",
) => void;

export function useSetParameters(): SetParameters {
  const [path, navigate] = useLocation();
  return (values, how) => {
    // From the address itself: two changes may come before the page is drawn again.
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(values)) {
      if (value === "") next.delete(name);
      else next.set(name, value);
    }
    navigate(`${path}?${next}`, { replace: how === "replace" });
  };
}

/** Changes filters; what else the address has stays. */
export function filterChange(set: SetParameters): Change {
  return (changes, how = "push") => {
    const now = workStateOf(location.search);
    const { filters = {} } = typeof changes === "function" ? changes(now) : changes;
    set(Object.fromEntries(FILTER_NAMES.map((name) => [name, filters[name] ?? ""])), how);
  };
}
