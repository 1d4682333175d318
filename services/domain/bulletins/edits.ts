/**
 * What becomes of a bulletin by an edit of its row, by a conversion of its magnitude, and when
 * its source speaks again.
 */

import {
  isMadeByEdit,
  isMadeComment,
  madeFrom,
  madeFromOf,
} from "#contracts/bulletin/own-members.ts";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import {
  circleOf,
  mechanismsOfRow,
  pathNames,
  rowIds,
  withMember,
  withRowValue,
} from "#contracts/bulletin/row.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import { OWN_AUTHORITY } from "#contracts/seismic-event/ids.ts";
import { conversionMethod, isConversionMethod } from "#contracts/seismic-event/public-ids.ts";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { compareTimes, parseTime } from "#contracts/seismic-event/time.ts";
import { withToldConversion } from "../events/magnitudes.ts";
import {
  type BulletinView,
  changedNames,
  type Identified,
  listOf,
  MAGNITUDE_NAMES,
  ORIGIN_NAMES,
  referencesIn,
  rewritten,
  TOP_LISTS,
  type ViewedName,
  withList,
  withUnsaid,
} from "./view.ts";

/** A change of an event's row, and what the solutions that it makes are signed with. */
export type RowEdit = {
  readonly eventId: string;
  readonly before: SeismicEventRecord;
  readonly after: SeismicEventRecord;
  /** The version of the catalogue that the edit makes. */
  readonly version: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Whether the event's source says so: what is made of it gives way to the source's next bulletin. */
  readonly isOfSource?: boolean;
};

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
  result = pathNames("event")
    .filter((name) => changed.has(name))
    .reduce((event, name) => withRowValue(event, name, edit.after[name]), result);
  if (changed.has("region")) result = withRegion(result, edit.after.region);
  if (changed.has("focal_mechanisms")) result = withMechanisms(result, edit, origin?.publicID);
  return withUnsaid(result, edit.after, view);
}

type SolutionKind = "origin" | "magnitude";
type Shown = Pick<QuakemlObject<"Origin">, "publicID" | "foreign">;

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
  return withChanges(
    made,
    "magnitude",
    edit,
    wasKnown ? changed : new Set<ViewedName>(MAGNITUDE_NAMES),
  );
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
function withFollowing(bulletin: Bulletin, kind: SolutionKind, former: string, present: string) {
  const magnitudes = listOf(bulletin, "magnitude").map((magnitude) =>
    isMadeByEdit(magnitude)
      ? (rewritten("Magnitude", magnitude, (holder, { member, to, id }) =>
          to === kind && id === former ? { ...holder, [member]: present } : holder,
        ) ?? magnitude)
      : magnitude,
  );
  return withList(bulletin, "magnitude", magnitudes);
}

const REGION_NAME = "region name";

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

type Mechanism = QuakemlObject<"FocalMechanism">;

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

function matched(rows: readonly JsonObject[], mechanisms: readonly Mechanism[]) {
  const left = [...mechanisms];
  return rows.map(({ publicID: id }) => {
    const place = left.findIndex(({ publicID }) =>
      id === undefined ? publicID.startsWith(OWN_AUTHORITY) : publicID === id,
    );
    return place < 0 ? undefined : left.splice(place, 1)[0];
  });
}

/** A magnitude that a conversion made. */
export type ConvertedMagnitude = {
  /** The event's row with it. */
  readonly record: SeismicEventRecord;
  /** Name of the conversion. */
  readonly by: string;
  readonly publicID: string;
  /** Signs what an edit makes; null for what a merge makes, which is always the same. */
  readonly edit: { readonly version: number; readonly at: string } | null;
};

/**
 * The bulletin with a converted magnitude, which is preferred, beside the one that it was made from. Afterwards the
 * row is the bulletin's view.
 */
export function withConverted(
  bulletin: Bulletin,
  { record, by, publicID, edit }: ConvertedMagnitude,
  view: BulletinView,
): Bulletin {
  const shown = view.magnitude(bulletin);
  const { agencyID, author } = shown?.creationInfo ?? {};
  const creationInfo = {
    ...(agencyID !== undefined && { agencyID }),
    ...(author !== undefined && { author }),
    ...(edit !== null && { creationTime: edit.at, version: String(edit.version) }),
  };
  const bare: QuakemlObject<"Magnitude"> = {
    publicID,
    mag: { value: record.magnitude ?? 0 },
    ...(shown?.originID !== undefined && { originID: shown.originID }),
    methodID: conversionMethod(by),
    ...(Object.keys(creationInfo).length > 0 && { creationInfo }),
    // What was made here stays when its source speaks again.
    ...(edit !== null && { foreign: [madeFrom(shown?.publicID)] }),
  };
  const made = pathNames("magnitude").reduce(
    (object, name) => (record[name] === null ? object : withRowValue(object, name, record[name])),
    bare,
  );
  const magnitudes = [...listOf(bulletin, "magnitude"), made as unknown as Identified];
  const result = { ...withList(bulletin, "magnitude", magnitudes), preferredMagnitudeID: publicID };
  return withUnsaid(result, record, view);
}

/** An event: its row, and its bulletin if it has one. */
export type WholeEvent = {
  readonly record: SeismicEventRecord;
  readonly bulletin: Bulletin | null;
};

/**
 * An event of the catalogue after it came again. A bulletin replaces what there was, but for solutions
 * that were made here. A row alone changes an event with a bulletin as an edit does, and takes nothing
 * away: what it does not know stays, and so does a time of which it has fewer digits.
 */
export function updatedEvent(
  present: WholeEvent,
  given: WholeEvent,
  signature: Omit<RowEdit, "before" | "after">,
  view: BulletinView,
): WholeEvent {
  if (present.bulletin === null) return given;
  if (given.bulletin !== null) {
    const bulletin = replacedBulletin(present.bulletin, given.bulletin, view);
    const { source_id } = given.record;
    const viewed = bulletin === given.bulletin ? null : view.row(bulletin);
    // The id stays the row's own.
    const after = viewed === null ? given.record : { ...given.record, ...viewed, source_id };
    return { record: withToldConversion(present.record, after), bulletin };
  }
  const before = present.record;
  const after = withKnown(before, given.record);
  const edit = { ...signature, before, after };
  return { record: after, bulletin: editedBulletin(present.bulletin, edit, view) };
}

/** A row with what another one knows of it. */
export function withKnown(
  before: SeismicEventRecord,
  given: SeismicEventRecord,
): SeismicEventRecord {
  const known = ATTRIBUTE_NAMES.filter((name) => given[name] !== null);
  const isSameTime = compareTimes(before.time, given.time) === 0;
  const isMoreExact = given.time.length > before.time.length;
  const after = {
    ...before,
    ...Object.fromEntries(known.map((name) => [name, given[name]])),
    time: isSameTime && !isMoreExact ? before.time : given.time,
    focal_mechanisms: given.focal_mechanisms ?? before.focal_mechanisms,
    extra: given.extra === null ? before.extra : { ...before.extra, ...given.extra },
  };
  return withToldConversion(before, after);
}

/** The kinds of solutions that edits make. */
const MADE = [
  { kind: "origin", member: "preferredOriginID" },
  { kind: "magnitude", member: "preferredMagnitudeID" },
] as const;

function hasSolutionsOnly(bulletin: Bulletin): boolean {
  const { origin = [], magnitude = [] } = bulletin;
  return (
    TOP_LISTS.every(
      ([kind]) => MADE.some((one) => one.kind === kind) || listOf(bulletin, kind).length === 0,
    ) &&
    origin.every(({ arrival }) => arrival === undefined) &&
    magnitude.every((one) => one.stationMagnitudeContribution === undefined)
  );
}

/**
 * The bulletin of an event whose source gives another one. Solutions and comments that were made here
 * stay, and stay preferred unless the source's are newer. One with solutions alone, as a table of
 * relocations gives, is added where it would else take the readings away.
 */
function replacedBulletin(present: Bulletin, given: Bulletin, view: BulletinView): Bulletin {
  const isAddition = hasSolutionsOnly(given) && !hasSolutionsOnly(present);
  const whole = isAddition ? withAdded(present, given, view) : withWhatWasMade(present, given);
  return withPreferredStaying(whole, present, given, view);
}

/** The given bulletin with what was made here. */
function withWhatWasMade(present: Bulletin, given: Bulletin): Bulletin {
  let result = given;
  for (const { kind } of MADE) {
    const solutions = listOf(given, kind);
    const made = listOf(present, kind).filter(
      (one) => isMadeByEdit(one) && !solutions.some(({ publicID }) => publicID === one.publicID),
    );
    if (made.length > 0) result = withList(result, kind, [...solutions, ...made]);
  }
  const comments = given.comment ?? [];
  const made = (present.comment ?? []).filter(
    (one) => isMadeComment(one) && !comments.some(({ id }) => id === one.id),
  );
  return made.length === 0 ? result : { ...result, comment: [...comments, ...made] };
}

/** The present bulletin with further solutions; of those that it has, with their members. */
function withAdded(present: Bulletin, given: Bulletin, view: BulletinView): Bulletin {
  let result = present;
  for (const { kind } of MADE) {
    const added = [...listOf(given, kind)];
    const updated = listOf(present, kind).map((one): Identified => {
      const place = added.findIndex(({ publicID }) => publicID === one.publicID);
      return place < 0 ? one : { ...one, ...added.splice(place, 1)[0] };
    });
    result = withList(result, kind, [...updated, ...added]);
  }
  const [origin, magnitude] = [view.origin(given), view.magnitude(given)];
  return {
    ...result,
    ...(origin !== undefined && { preferredOriginID: origin.publicID }),
    ...(magnitude !== undefined && { preferredMagnitudeID: magnitude.publicID }),
  };
}

/** What was made here and is preferred stays so, and what the source shows beside it is named. */
function withPreferredStaying(
  bulletin: Bulletin,
  present: Bulletin,
  given: Bulletin,
  view: BulletinView,
): Bulletin {
  const theirs = { origin: view.origin(given), magnitude: view.magnitude(given) };
  const staying = MADE.filter(({ kind, member }) => {
    const made = listOf(present, kind).find(({ publicID }) => publicID === present[member]);
    const isMade = made !== undefined && isMadeByEdit(made);
    return isMade && !isNewer(theirs[kind], made as Created, given.creationInfo);
  });
  if (staying.length === 0) return bulletin;
  const ids = MADE.flatMap((one) => {
    const id = staying.includes(one) ? present[one.member] : theirs[one.kind]?.publicID;
    return id === undefined ? [] : [[one.member, id]];
  });
  return { ...bulletin, ...Object.fromEntries(ids) };
}

type Created = { readonly creationInfo?: QuakemlObject<"CreationInfo"> };

function isNewer(
  theirs: Created | undefined,
  made: Created,
  ofEvent: QuakemlObject<"CreationInfo"> | undefined,
): boolean {
  const time = createdAt(theirs?.creationInfo) ?? createdAt(ofEvent);
  const madeAt = createdAt(made.creationInfo);
  return time !== null && madeAt !== null && compareTimes(time, madeAt) > 0;
}

function createdAt(info: QuakemlObject<"CreationInfo"> | undefined): string | null {
  return info?.creationTime === undefined ? null : parseTime(info.creationTime);
}
