import type { ClientBase } from "pg";
import type { Warning } from "#contracts/http/warnings.ts";
import { type MergeConfig, sourceLabelOf } from "#contracts/merge/merge-config.ts";
import { agenciesAmong } from "#projections/read/merges/sources.ts";
import type { MergeSource } from "./merge-plan.ts";

/** What a merge's settings prefer and none of its sources has, be it an agency or a label, by its path in a body. */
export async function unmetPreferences(
  client: ClientBase,
  sources: readonly MergeSource[],
  { mergeStrategy, priority, prefer = {} }: MergeConfig,
): Promise<Warning[]> {
  const labels = new Set(sources.map(({ source }) => source.toLowerCase()));
  const listed = Object.entries(prefer).flatMap(([group, preference]) =>
    Array.isArray(preference)
      ? preference.map((name, place) => ({ path: `config.prefer.${group}.${place}`, name }))
      : [],
  );
  const agencies = listed.flatMap(({ name }) => (sourceLabelOf(name) === null ? [name] : []));
  const present = await agenciesAmong(client, sources, agencies);
  const warnings = listed.flatMap(({ path, name }) => {
    const label = sourceLabelOf(name);
    if (label === null) {
      const isThere = present.has(name.toLowerCase());
      return isThere ? [] : [{ path, message: `no event of the sources is of agency ${name}` }];
    }
    return labels.has(label.toLowerCase())
      ? []
      : [{ path, message: `no source has the label ${label}` }];
  });
  const isUnmet =
    mergeStrategy === "priority" && priority !== "" && !labels.has(priority.toLowerCase());
  const message = `no source has the label ${priority}`;
  return isUnmet ? [{ path: "config.priority", message }, ...warnings] : warnings;
}
