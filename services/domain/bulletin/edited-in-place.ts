import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { mechanismsOfRow, rowIds } from "#contracts/bulletin/bulletin-of-row.ts";
import { pathNames, withMember, withRowValue } from "#contracts/bulletin/row-paths.ts";
import { OWN_AUTHORITY } from "#contracts/seismic-event/own-public-id.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { ViewedName } from "./bulletin-view.ts";
import type { RowEdit } from "./row-edit.ts";

type Mechanism = QuakemlObject<"FocalMechanism">;

const REGION_NAME = "region name";

export function withTypes(
  bulletin: Bulletin,
  { after }: RowEdit,
  changed: ReadonlySet<ViewedName>,
): Bulletin {
  return pathNames("event")
    .filter((name) => changed.has(name))
    .reduce((event, name) => withRowValue(event, name, after[name]), bulletin);
}

/** The region is the first description of its type; without one it comes before the others. */
export function withRegion(bulletin: Bulletin, region: string | null): Bulletin {
  const { description: descriptions = [] } = bulletin;
  if (region === null) {
    const others = descriptions.filter(({ type }) => type !== REGION_NAME);
    return withMember(bulletin, "description", others.length === 0 ? null : others);
  }
  const place = descriptions.findIndex(({ type }) => type === REGION_NAME);
  const description =
    place < 0
      ? [{ text: region, type: REGION_NAME } as const, ...descriptions]
      : descriptions.with(place, { ...descriptions[place], text: region, type: REGION_NAME });
  return { ...bulletin, description };
}

/**
 * The mechanisms of the row in its order, the first preferred. Each changes the one with its public id,
 * where the row shows none the next one with an id of the service, and keeps what the row does not show.
 * @param originID of the shown origin, for moment tensors whose own the row does not tell
 */
export function withMechanisms(
  bulletin: Bulletin,
  { eventId, version, after }: RowEdit,
  originID: string | undefined,
): Bulletin {
  const rows = after.focal_mechanisms ?? [];
  const ids = rowIds(eventId, `/${version}`);
  const present = matched(rows, inShownOrder(bulletin));
  const { list } = mechanismsOfRow(rows, { ...ids, origin: originID ?? ids.origin }, present);
  const first = list[0]?.publicID ?? null;
  const changed = withMember(bulletin, "focalMechanism", list.length === 0 ? null : list);
  const preferred = withMember(changed, "preferredFocalMechanismID", first);
  // A tensor's origin would else be taken for its centroid, which is shown last.
  return originID === undefined ? preferred : { ...preferred, preferredOriginID: originID };
}

function inShownOrder({
  focalMechanism: mechanisms = [],
  preferredFocalMechanismID: id,
}: Bulletin): readonly Mechanism[] {
  const preferred = mechanisms.find(({ publicID }) => publicID === id);
  if (preferred === undefined) return mechanisms;
  return [preferred, ...mechanisms.filter((mechanism) => mechanism !== preferred)];
}

function matched(
  rows: readonly JsonObject[],
  mechanisms: readonly Mechanism[],
): readonly (Mechanism | undefined)[] {
  const left = [...mechanisms];
  return rows.map(({ publicID: id }) => {
    const place = left.findIndex(({ publicID }) =>
      id === undefined ? publicID.startsWith(OWN_AUTHORITY) : publicID === id,
    );
    return place < 0 ? undefined : left.splice(place, 1)[0];
  });
}
