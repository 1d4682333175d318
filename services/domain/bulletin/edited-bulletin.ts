import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { circleOf, mechanismsOfRow, rowIds } from "#contracts/bulletin/bulletin-of-row.ts";
import { isMadeByEdit, madeFrom, madeFromOf } from "#contracts/bulletin/own-members.ts";
import { pathNames, withMember, withRowValue } from "#contracts/bulletin/row-paths.ts";
import { isConversionMethod } from "#contracts/seismic-event/converted-from.ts";
import { OWN_AUTHORITY } from "#contracts/seismic-event/own-public-id.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { type BulletinView, changedNames, type ViewedName, withUnsaid } from "./bulletin-view.ts";
import { referencesIn, rewritten } from "./references.ts";
import type { RowEdit } from "./row-edit.ts";
import { type Identified, listOf, TOP_LISTS, withList } from "./solutions.ts";

type Mechanism = QuakemlObject<"FocalMechanism">;

const REGION_NAME = "region name";

function withTypes(
  bulletin: Bulletin,
  { after }: RowEdit,
  changed: ReadonlySet<ViewedName>,
): Bulletin {
  return pathNames("event")
    .filter((name) => changed.has(name))
    .reduce((event, name) => withRowValue(event, name, after[name]), bulletin);
}

/** The region is the first description of its type; without one it comes before the others. */
function withRegion(bulletin: Bulletin, region: string | null): Bulletin {
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
function withMechanisms(
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

type SolutionKind = "origin" | "magnitude";
type Shown = Pick<QuakemlObject<"Origin">, "publicID" | "foreign">;

const ORIGIN_NAMES: readonly ViewedName[] = [...pathNames("origin"), "horizontal_uncertainty"];
const MAGNITUDE_NAMES: readonly ViewedName[] = pathNames("magnitude");

/**
 * The bulletin of an event whose row was edited. Attributes of an origin or magnitude make a new one,
 * which is preferred: the shown one's members with the change, without its arrivals, contributions and
 * comments. One that an edit made and nothing else refers to is replaced. The event's own attributes
 * are changed in place. Afterwards the row is the bulletin's view.
 */
export function editedBulletin(bulletin: Bulletin, edit: RowEdit, view: BulletinView): Bulletin {
  const changed = changedNames(edit.before, edit.after);
  if (changed.size === 0) return bulletin;
  const shown = { origin: view.origin(bulletin), magnitude: view.magnitude(bulletin) };
  let result = bulletin;
  let origin = shown.origin;
  if (origin !== undefined && ORIGIN_NAMES.some((name) => changed.has(name))) {
    const made = madeOrigin(origin, edit, changed);
    result = withMade(result, "origin", origin, made);
    origin = made;
    const preferredMagnitudeID = shown.magnitude?.publicID;
    result = {
      ...result,
      preferredOriginID: made.publicID,
      ...(preferredMagnitudeID !== undefined && { preferredMagnitudeID }),
    };
  }
  const { magnitude } = edit.after;
  if (magnitude !== null && MAGNITUDE_NAMES.some((name) => changed.has(name))) {
    const made = madeMagnitude(shown.magnitude, edit, changed, magnitude, origin?.publicID);
    result = withMade(result, "magnitude", shown.magnitude, made);
    result = { ...result, preferredMagnitudeID: made.publicID };
  }
  result = withTypes(result, edit, changed);
  if (changed.has("region")) result = withRegion(result, edit.after.region);
  if (changed.has("focal_mechanisms")) result = withMechanisms(result, edit, origin?.publicID);
  return withUnsaid(result, edit.after, view);
}

function madeOrigin(
  shown: QuakemlObject<"Origin">,
  edit: RowEdit,
  changed: ReadonlySet<ViewedName>,
): QuakemlObject<"Origin"> {
  const { arrival: _a, comment: _c, foreign: _f, member: _m, compositeTime, ...rest } = shown;
  let made: QuakemlObject<"Origin"> = {
    ...rest,
    ...(compositeTime !== undefined && !changed.has("time") && { compositeTime }),
    ...signed("origin", shown, edit),
  };
  const radius = edit.after.horizontal_uncertainty;
  if (changed.has("horizontal_uncertainty")) {
    made = withMember(made, "originUncertainty", radius === null ? null : [circleOf(radius)]);
  }
  return withChanges(made, "origin", edit, changed);
}

function madeMagnitude(
  shown: QuakemlObject<"Magnitude"> | undefined,
  edit: RowEdit,
  changed: ReadonlySet<ViewedName>,
  value: number,
  originID: string | undefined,
): QuakemlObject<"Magnitude"> {
  const {
    stationMagnitudeContribution: _s,
    comment: _c,
    foreign: _f,
    member: _m,
    methodID,
    ...rest
  } = shown ?? {};
  // What is given by hand no conversion has made.
  const isMethod = methodID !== undefined && !isConversionMethod(methodID);
  // A magnitude that is shown as none has nothing that the row says.
  const wasKnown = edit.before.magnitude !== null;
  const made: QuakemlObject<"Magnitude"> = {
    mag: { value },
    ...(wasKnown && rest),
    ...(wasKnown && isMethod && { methodID }),
    ...signed("magnitude", shown, edit),
    ...(originID !== undefined && { originID }),
  };
  return withChanges(made, "magnitude", edit, wasKnown ? changed : new Set(MAGNITUDE_NAMES));
}

function withChanges<T extends object>(
  made: T,
  kind: SolutionKind,
  { after }: RowEdit,
  changed: ReadonlySet<ViewedName>,
): T {
  return pathNames(kind)
    .filter((name) => changed.has(name) && name !== "agency_id" && name !== "author")
    .reduce((object, name) => withRowValue(object, name, after[name]), made);
}

/** The id, authorship and origin of a solution that an edit makes. */
function signed(
  kind: SolutionKind,
  shown: Shown | undefined,
  { eventId, after: { agency_id: agencyID, author }, version, at, isOfSource = false }: RowEdit,
) {
  const from = shown && isMadeByEdit(shown) ? madeFromOf(shown) : shown?.publicID;
  return {
    publicID: rowIds(eventId, `/${version}`)[kind],
    creationInfo: {
      ...(agencyID !== null && { agencyID }),
      ...(author !== null && { author }),
      creationTime: at,
      version: String(version),
    },
    ...(!isOfSource && { foreign: [madeFrom(from)] }),
  };
}

/** The bulletin with a solution that an edit made, instead of one that nothing but edits needs. */
function withMade(
  bulletin: Bulletin,
  kind: SolutionKind,
  shown: Shown | undefined,
  made: { readonly publicID: string },
): Bulletin {
  const solutions = listOf(bulletin, kind);
  if (shown === undefined || !isReplaceable(bulletin, kind, shown)) {
    return withList(bulletin, kind, [...solutions, made as Identified]);
  }
  const others = solutions.filter((solution) => solution !== shown);
  const replaced = withList(bulletin, kind, [...others, made as Identified]);
  return withFollowing(replaced, kind, shown.publicID, made.publicID);
}

function isReplaceable(bulletin: Bulletin, kind: SolutionKind, shown: Shown): boolean {
  if (!isMadeByEdit(shown)) return false;
  for (const [holder, type] of TOP_LISTS) {
    for (const object of listOf(bulletin, holder)) {
      if (isMadeByEdit(object)) continue;
      for (const { to, id } of referencesIn(type, object)) {
        if (to === kind && id === shown.publicID) return false;
      }
    }
  }
  return true;
}

/** What edits made and referred to the replaced solution refers to the new one. */
function withFollowing(
  bulletin: Bulletin,
  kind: SolutionKind,
  former: string,
  present: string,
): Bulletin {
  const magnitudes = listOf(bulletin, "magnitude").map((magnitude) =>
    isMadeByEdit(magnitude)
      ? (rewritten("Magnitude", magnitude, (holder, { member, to, id }) =>
          to === kind && id === former ? { ...holder, [member]: present } : holder,
        ) ?? magnitude)
      : magnitude,
  );
  return withList(bulletin, "magnitude", magnitudes);
}
