/** What of a merge's sources may be shown: of hidden ones no id, no name and no label. */
import type { MergeConfig, ShownSource } from "#contracts/merge/merge-config.ts";
import type { ShownSourceEvent, SourceEvent } from "#contracts/seismic-event/seismic-event.ts";

/** Ids of catalogues; null for none. */
type Hidden = readonly string[] | null;

export function shownSources(sources: readonly ShownSource[], hidden: Hidden): ShownSource[] {
  return sources.map((one) =>
    isHidden(one.id, hidden) ? { ...one, id: null, name: null, source: null } : one,
  );
}

/** A merge's settings with no labels of sources but these, for those who may not see all of its sources. */
export function shownConfig(config: MergeConfig, labels: readonly (string | null)[]): MergeConfig {
  const known = new Set(labels.map((label) => label?.toLowerCase()));
  const shown = (label: string) => (known.has(label.toLowerCase()) ? label : "");
  const windows = config.windows?.map((one) =>
    one.sources === undefined ? one : { ...one, sources: one.sources.map(shown) },
  );
  return { ...config, priority: shown(config.priority), ...(windows && { windows }) };
}

/** Members of a merged event; the form of `eventsShown`. */
export function shownMembers(members: readonly SourceEvent[], hidden: Hidden): ShownSourceEvent[] {
  return members.map((one) =>
    isHidden(one.catalogue_id, hidden)
      ? { ...one, catalogue_id: null, event_id: null, source_id: null, source: null }
      : one,
  );
}

function isHidden(id: string | null, hidden: Hidden): boolean {
  return hidden?.some((one) => one === id) ?? false;
}
