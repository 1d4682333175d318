import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { withToldConversion } from "../conversion/told-conversion.ts";
import type { BulletinView } from "./bulletin-view.ts";
import { editedBulletin } from "./edited-bulletin.ts";
import { replacedBulletin } from "./replaced-bulletin.ts";
import type { RowEdit } from "./row-edit.ts";

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
