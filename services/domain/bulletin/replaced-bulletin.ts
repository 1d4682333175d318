import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { isMadeByEdit, isMadeComment } from "#contracts/bulletin/own-members.ts";
import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import type { BulletinView } from "./bulletin-view.ts";
import { type Identified, listOf, TOP_LISTS, withList } from "./solutions.ts";

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
export function replacedBulletin(present: Bulletin, given: Bulletin, view: BulletinView): Bulletin {
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
