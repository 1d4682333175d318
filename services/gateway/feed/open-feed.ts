import { invalid, Refusal } from "#contracts/errors.ts";
import type { FeedQuery } from "#contracts/http/feed.ts";
import { uuidOrNull } from "#projections/queries/sql-values.ts";
import type { VersionHistory } from "#services/domain/catalogue/version-history.ts";
import { feedFilter } from "#services/domain/feed/feed-filter.ts";
import {
  ALL_CHANGES,
  FEED_START,
  type FeedPosition,
  parsePosition,
  positionText,
} from "#services/domain/feed/feed-position.ts";
import { jointPositionText, parseJointPosition } from "#services/domain/feed/joint-position.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";
import type { Following } from "./follow-changes.ts";

export type FeedRequest = {
  readonly catalogueIds: readonly string[];
  /** Whether the feed is of a list of catalogues, even of a single one. */
  readonly isJoint: boolean;
  readonly query: FeedQuery;
  /** Precedes `after`, which a browser repeats whenever it connects again. */
  readonly lastEventId: string | undefined;
  readonly isGuest: boolean;
};

/**
 * What a request follows, and from where: after the place that it names, or after the last version.
 * @throws Refusal NOT_FOUND for an unknown catalogue, UNAUTHENTICATED for a guest at a private one,
 * VALIDATION_ERROR for a place that is none
 */
export async function openFeed(
  versionHistories: VersionHistories,
  request: FeedRequest,
): Promise<Omit<Following, "form">> {
  const { catalogueIds, isJoint, query, isGuest } = request;
  const histories = await Promise.all(
    catalogueIds.map(async (id): Promise<readonly [string, VersionHistory]> => {
      const history = uuidOrNull(id) === null ? null : await versionHistories.read(id);
      if (history === null || history.isDeleted) {
        throw new Refusal("NOT_FOUND", "Catalogue not found");
      }
      if (isGuest && history.publicFrom === null) throw new Refusal("UNAUTHENTICATED");
      return [id, history];
    }),
  );
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
    filter: feedFilter(query),
    control: query.control === "true",
    isGuest,
    isOfOne: !isJoint,
    idOf: isJoint ? jointPositionText : idOfOne,
  };
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
