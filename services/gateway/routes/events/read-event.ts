import type { SolutionChanges } from "#contracts/bulletin/solution-change.ts";
import type { SeismicEvent, ShownSourceEvent } from "#contracts/seismic-event/seismic-event.ts";
import { readPieces } from "#projections/read/bulletins.ts";
import { readEvent, readEventHistory } from "#projections/read/events.ts";
import { shownMembers, shownSources } from "#projections/read/rights.ts";
import { isPublicVersion } from "#projections/read/versions.ts";
import { type VersionEntry, versionOf } from "#services/domain/versions.ts";
import { JsonItem } from "../../http/answer-body.ts";
import { changesTag, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { type BulletinComparer, createBulletinComparer } from "./bulletin-changes.ts";

export const getEventHandler: MakeHandler<"getEvent", "pool" | "lookups" | "exporter"> =
  ({ pool, lookups, exporter }) =>
  async ({ params: { id: catalogueId, eventId }, query: { asOf, include }, reader, asker }) => {
    const request = { catalogueId, eventId, asOf, reader };
    const { event, version } = await readEvent(lookups, request);
    const source =
      include === undefined || event.bulletin_sha256 === undefined
        ? null
        : await readPieces(pool, version.id, event.id, version.version);
    const whole = source && {
      event: JSON.stringify(eventBody(event, version.hidden)),
      source,
      bytes: event.bulletin_counts?.bytes ?? 0,
    };
    return {
      body: {
        event: whole
          ? new JsonItem(await exporter.writeEvent(whole, asker))
          : eventBody(event, version.hidden),
      },
      headers: { etag: versionTag(version.version) },
      isPublic: isPublicVersion(version),
    };
  };

export const getEventHistoryHandler: MakeHandler<
  "getEventHistory",
  "pool" | "lookups" | "versionHistories" | "bulletins"
> =
  (deps) =>
  async ({ params: { id: catalogueId, eventId }, reader, isGuest, asker }) => {
    const request = { catalogueId, eventId, reader };
    const { history, latest, from } = await readEventHistory(deps, request);
    const { version, publicFrom } = latest;
    const versions = await deps.versionHistories.read(catalogueId);
    const solutions = await solutionsOf(history, createBulletinComparer(deps, latest.id, asker));
    const entries = history.map(({ event, ...entry }, i) => ({
      ...entry,
      actor: isGuest ? null : entry.actor,
      ...originOf(versions && versionOf(versions, entry.version), isGuest, latest.hidden),
      event: eventBody(event, latest.hidden),
      ...solutions[i],
    }));
    return {
      body: { history: entries },
      headers: { etag: from > 1 ? changesTag(version, from) : versionTag(version) },
      // Who changed it, and why, is for signed-in callers.
      isPublic: isGuest && publicFrom !== null,
    };
  };

type History = Awaited<ReturnType<typeof readEventHistory>>["history"];

/** For each entry of a history the solutions in which its bulletin differs from the entry's before. */
async function solutionsOf(
  history: History,
  compare: BulletinComparer,
): Promise<Partial<SolutionChanges>[]> {
  const sideOf = ({ version, event }: History[number]) => ({
    version,
    sha256: event.bulletin_sha256 ?? null,
  });
  const solutions: Partial<SolutionChanges>[] = [];
  for (const [i, entry] of history.entries()) {
    const former = history[i + 1];
    const isUpdate = entry.change === "updated" && former !== undefined;
    solutions.push(isUpdate ? await compare(entry.event.id, sideOf(former), sideOf(entry)) : {});
  }
  return solutions;
}

/** What a version was made of, and why; a reason may name people. */
function originOf(
  version: VersionEntry | null | undefined,
  isGuest: boolean,
  hidden: readonly string[] | null,
) {
  const { importRun = null, sources = null, restores = null, reason = null } = version ?? {};
  return {
    import: importRun && { id: importRun.importId, agency: importRun.agency },
    sources: sources && shownSources(sources, hidden),
    restores,
    reason: isGuest ? null : reason,
  };
}

/**
 * An event in the API's form; provenance is included only if there is any.
 * @param hidden sources of a merge that are hidden from whoever gets it
 */
export function eventBody(
  event: SeismicEvent,
  hidden: readonly string[] | null,
): Omit<SeismicEvent, "source_events"> & { source_events?: ShownSourceEvent[] } {
  const { source_events, ...attributes } = event;
  if (source_events === null) return attributes;
  return { ...attributes, source_events: shownMembers(source_events, hidden) };
}

/** The answer to a change of an event: it as it is now, and the version that has the change. */
export function changedEvent(
  { event, version }: { readonly event: SeismicEvent; readonly version: number },
  hidden: readonly string[] | null,
) {
  return {
    body: { event: eventBody(event, hidden), version },
    headers: { etag: versionTag(version) },
  };
}
