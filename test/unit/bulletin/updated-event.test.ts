import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createBulletinView } from "#services/changes/bulletin-view.ts";
import { editedBulletin, updatedEvent, type WholeEvent } from "#services/domain/bulletins/edits.ts";
import { EVENT_ID, GIVEN } from "./given-bulletin.ts";

const view = createBulletinView(Date.UTC(2026, 0, 1));
const SIGNATURE = { eventId: EVENT_ID, version: 3, at: "2025-01-02T03:04:05.000Z" };

function whole(bulletin: Bulletin): WholeEvent {
  const record = { ...view.row(bulletin), extra: null, source_events: null } as SeismicEventRecord;
  return { record, bulletin };
}

function edited({ record, bulletin }: WholeEvent, change: Partial<SeismicEventRecord>): WholeEvent {
  if (bulletin === null) throw new Error("no bulletin");
  const edit = { ...SIGNATURE, version: 2, before: record, after: { ...record, ...change } };
  return { record: edit.after, bulletin: editedBulletin(bulletin, edit, view) };
}

const update = (present: WholeEvent, given: WholeEvent) =>
  updatedEvent(present, given, SIGNATURE, view);

describe("an event that comes again without a bulletin", () => {
  const { record } = whole(GIVEN);
  const text = emptyRecord({ time: "2024-05-06T07:08:09Z", latitude: -41.5, longitude: 174.25 });

  test("with equal values changes nothing", () => {
    const given = { ...text, time: "2024-05-06T07:08:09.5Z", depth: 5.1 };
    expect(update(whole(GIVEN), { record: given, bulletin: null })).toEqual(whole(GIVEN));
  });

  test("is an edit of what it knows, and takes nothing away", () => {
    const { time } = record;
    const given = { ...text, time, depth: 7, agency_id: "ISC" };
    const after = update(whole(GIVEN), { record: given, bulletin: null });
    expect(after.record).toEqual({ ...record, depth: 7, agency_id: "ISC" });
    expect(after.bulletin?.origin).toHaveLength(3);
    expect(after.bulletin?.origin?.slice(0, 2)).toEqual(GIVEN.origin);
    expect(after.bulletin?.preferredMagnitudeID).toBe("smi:org.example/m1");
  });
});

describe("an event that comes again with a bulletin", () => {
  const [first, second] = GIVEN.origin ?? [];
  if (first === undefined || second === undefined) throw new Error("no origins");

  test("replaces what its source gave before", () => {
    const other = whole({ ...GIVEN, origin: [second], preferredOriginID: second.publicID });
    expect(update(whole(GIVEN), other)).toEqual(other);
  });

  test("equal to the source's before leaves what was made here", () => {
    const present = edited(edited(whole(GIVEN), { depth: 9 }), { magnitude: 5 });
    expect(update(present, whole(GIVEN))).toEqual(present);
  });

  test("with a newer origin is preferred, and what was made here stays", () => {
    const present = edited(whole(GIVEN), { depth: 9 });
    const creationInfo = { creationTime: "2025-06-01T00:00:00Z" };
    const newer = whole({ ...GIVEN, origin: [{ ...first, creationInfo }, second] });
    const after = update(present, newer);
    expect(after.record).toEqual(newer.record);
    expect(after.bulletin?.origin).toHaveLength(3);
    expect(after.bulletin?.preferredOriginID).toBe(first.publicID);
  });

  test("comments that people made here stay", () => {
    const own = { id: "smi:local.catalogue/comment/1/2", text: "checked" };
    const present = whole({ ...GIVEN, comment: [{ text: "old" }, own] });
    const given = whole({ ...GIVEN, comment: [{ text: "new" }] });
    expect(update(present, given).bulletin?.comment).toEqual([{ text: "new" }, own]);
  });

  test("that has solutions alone adds them to readings", () => {
    const relocated = { ...second, publicID: "smi:org.example/reloc", depth: { value: 8000 } };
    const given = whole({ publicID: GIVEN.publicID, origin: [relocated] });
    const after = update(whole(GIVEN), given);
    expect(after.bulletin).toEqual({
      ...GIVEN,
      origin: [...(GIVEN.origin ?? []), relocated],
      preferredOriginID: relocated.publicID,
    });
    expect(after.record).toMatchObject({ depth: 8, magnitude: 4.2 });
    expect(update(after, given)).toEqual(after);
  });
});
