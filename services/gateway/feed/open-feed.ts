import { invalid, Refusal } from "#contracts/errors.ts";
import type { FeedQuery } from "#contracts/http/feed.ts";
import { predicateOf } from "#contracts/query/event-predicate.ts";
import { expressionOf } from "#contracts/query/filters.ts";
import { NO_CATALOGUE, type Reader } from "#projections/read/rights.ts";
import {
  ALL_CHANGES,
  FEED_START,
  type FeedPosition,
  jointPositionText,
  parseJointPosition,
  parsePosition,
  positionText,
} from "#services/domain/following.ts";
import type { VersionHistory } from "#services/domain/versions.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";
import type { Following } from "./follow-changes.ts";

export type FeedRequest = {
  readonly catalogueIds: readonly string[];
  /** Whether the feed is of a list of catalogues, even of a single one. */
  readonly isJoint: boolean;
  readonly query: FeedQuery;
  /** Precedes `after`, which a browser repeats whenever it connects again. */
  readonly lastEventId: string | undefined;
  readonly reader: Reader;
};

export type OpenFeedDeps = {
  readonly versionHistories: VersionHistories;
  /** Those of some catalogues that are there for a reader. */
  readonly thereFor: (ids: readonly string[], reader: Reader) => Promise<ReadonlySet<string>>;
};

/**
 * What a request follows, and from where: after the place that it names, or after the last version.
 * @throws Refusal NOT_FOUND for an unknown catalogue, UNAUTHENTICATED for a guest at a private one,
 * VALIDATION_ERROR for a place that is none
 */
export async function openFeed(
  deps: OpenFeedDeps,
  request: FeedRequest,
): Promise<Omit<Following, "form">> {
  const { catalogueIds, isJoint, query, reader } = request;
  const isGuest = reader.kind === "guest";
  const histories = await historiesOf(deps, catalogueIds, reader);
  const places = placesOf(request);
  const positions = new Map(
    histories.map(([id, { versions }]) => {
      const last = versions.at(-1)?.version ?? 0;
      const place = places?.positions.get(id) ?? { version: last, change: ALL_CHANGES };
      if (place.version > last)
        throw invalid(places?.field ?? "after", "is after the last version");
      return [id, place];
    }),
  );
  return {
    positions,
    filter: predicateOf(expressionOf(query)),
    control: query.control === "true",
    isGuest,
    isOfOne: !isJoint,
    idOf: isJoint ? jointPositionText : idOfOne,
  };
}

/** In the order of the ids, so that the first that is refused decides, whichever is read first. */
async function historiesOf(
  { versionHistories, thereFor }: OpenFeedDeps,
  ids: readonly string[],
  reader: Reader,
): Promise<(readonly [string, VersionHistory])[]> {
  const there = await thereFor(ids, reader);
  // As many steps for one that is not there, so that it takes as long.
  const read = (id: string) => versionHistories.read(there.has(id) ? id : NO_CATALOGUE);
  const found = await Promise.all(ids.map(read));
  return found.map((history, i) => {
    if (history === null || history.isDeleted) {
      throw new Refusal("NOT_FOUND", "Catalogue not found");
    }
    if (reader.kind === "guest" && history.publicFrom === null) {
      throw new Refusal("UNAUTHENTICATED");
    }
    return [ids[i] ?? "", history];
  });
}

function idOfOne(positions: ReadonlyMap<string, FeedPosition>): string {
  const [position = FEED_START] = positions.values();
  return positionText(position);
}

type Places = { readonly field: string; readonly positions: ReadonlyMap<string, FeedPosition> };

/**
 * The places that a request names; null where it wants only what is to come. A joint feed begins anew in
 * catalogues of which its id does not tell.
 */
function placesOf({ catalogueIds, isJoint, query, lastEventId }: FeedRequest): Places | null {
  const isHeader = lastEventId !== undefined && lastEventId !== "";
  const text = isHeader ? lastEventId : query.after;
  if (text === undefined) return null;
  const field = isHeader ? "Last-Event-ID" : "after";
  const ofAll = text === "0" || !isJoint ? parsePosition(text) : null;
  const positions = ofAll
    ? new Map(catalogueIds.map((id) => [id, ofAll]))
    : isJoint && parseJointPosition(text);
  if (!positions) throw invalid(field, "is not the id of a message");
  return { field, positions };
}
