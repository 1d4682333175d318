import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { isMadeByEdit, isMadeComment } from "#contracts/bulletin/own-members.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { withToldConversion } from "../conversion/told-conversion.ts";
import type { BulletinView } from "./bulletin-view.ts";
import { editedBulletin } from "./edited-bulletin.ts";
import type { RowEdit } from "./row-edit.ts";
import { type Identified, listOf, TOP_LISTS, withList } from "./solutions.ts";

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
  if (given.bulletin !== null) {
    if (present.bulletin === null) return given;
    const bulletin = replacedBulletin(present.bulletin, given.bulletin, view);
    const after = { ...given.record, ...viewedOf(bulletin, given, view) };
    return { record: withToldConversion(present.record, after), bulletin };
  }
  if (present.bulletin === null) return given;
  const before = present.record;
  const after = withKnown(before, given.record);
  const edit = { ...signature, before, after };
  return { record: after, bulletin: editedBulletin(present.bulletin, edit, view) };
}

/** The id stays the row's own. */
function viewedOf(bulletin: Bulletin, { record, bulletin: given }: WholeEvent, view: BulletinView) {
  if (bulletin === given) return record;
  const row = view.row(bulletin);
  return row === null ? record : { ...row, source_id: record.source_id };
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

/**
 * The bulletin of an event whose source gives another one. Solutions and comments that were made here
 * stay, and stay preferred unless the source's are newer. One with solutions alone, as a table of
 * relocations gives, is added where it would else take the readings away.
 */
function replacedBulletin(present: Bulletin, given: Bulletin, view: BulletinView): Bulletin {
  const isAddition = hasSolutionsOnly(given) && !hasSolutionsOnly(present);
  const whole = isAddition ? withAdded(present, given, view) : withMade(present, given);
  return withPreferred(whole, present, given, view);
}

function hasSolutionsOnly(bulletin: Bulletin): boolean {
  const { origin = [], magnitude = [] } = bulletin;
  return (
    TOP_LISTS.every(([kind]) => isOfSolutions(kind) || listOf(bulletin, kind).length === 0) &&
    origin.every(({ arrival }) => arrival === undefined) &&
    magnitude.every((one) => one.stationMagnitudeContribution === undefined)
  );
}

function isOfSolutions(kind: string): boolean {
  return MADE.some((one) => one.kind === kind);
}

/** The given bulletin with what was made here. */
function withMade(present: Bulletin, given: Bulletin): Bulletin {
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
function withPreferred(
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
