import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { BulletinBody } from "#contracts/bulletin/bulletin-schema.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { createQuakemlReader } from "#infra/formats/quakeml/quakeml-reader.ts";
import { atOnce } from "#infra/kernel/steps.ts";
import { readScml } from "../../../support/formats/read-scml.ts";
import { runs } from "../../../support/runs.ts";
import { oneEventAsQuakeml } from "./as-quakeml.ts";
import { ONE_EVENT, pick, scml, VERSIONS } from "./documents.ts";

type Read = { readonly row: JsonObject; readonly bulletin: Bulletin };

/** The only event of a document of QuakeML. */
function readQuakeml(document: string): Read {
  const read: Read[] = [];
  const reader = createQuakemlReader(
    {
      row: (row, _line, bulletin) => void (bulletin && read.push({ row, bulletin })),
      error: (_, message) => expect.fail(message),
      warning: () => {},
    },
    { bulletins: true },
  );
  reader.write(document);
  atOnce(reader.end());
  expect(read).toHaveLength(1);
  return read[0] as Read;
}

/** Without the weights and flags that SCML has alone. */
function withoutForeign(bulletin: Bulletin): Bulletin {
  return JSON.parse(
    JSON.stringify(bulletin, (key, value) => (key === "foreign" ? undefined : value)),
  );
}

function onlyBulletin(document: string): Bulletin {
  const { bulletins, errors } = readScml(document);
  expect(errors).toEqual([]);
  expect(bulletins).toHaveLength(1);
  return bulletins[0] as Bulletin;
}

describe("an event in SCML", () => {
  it.each(VERSIONS)("is in version %s the event that QuakeML has, with its row", (version) => {
    const { rows, bulletins, errors, warnings } = readScml(scml(ONE_EVENT, version));
    expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
    const [bulletin] = bulletins as [Bulletin];
    const ids = (bulletin.origin ?? []).flatMap(({ arrival = [] }) =>
      arrival.map((one) => one.publicID),
    );
    const expected = readQuakeml(oneEventAsQuakeml(ids));
    expect(withoutForeign(bulletin)).toEqual(expected.bulletin);
    expect(rows).toEqual([expected.row]);
    expect(BulletinBody.safeParse(bulletin).error).toBeUndefined();
  });

  it("has the picks of all its origins and of an amplitude alone", () => {
    const { pick: picks = [] } = onlyBulletin(scml(ONE_EVENT));
    expect(picks.map(({ publicID }) => publicID)).toEqual([
      "p1",
      "p2",
      "p3",
      "p4",
      "p5",
      "p6",
      "p7",
    ]);
  });

  it("is the same in whatever order its objects stand, and in whatever pieces they come", () => {
    const whole = onlyBulletin(scml(ONE_EVENT));
    const sorted = (bulletin: Bulletin) =>
      Object.fromEntries(
        Object.entries(withoutForeign(bulletin)).map(([member, value]) => [
          member,
          Array.isArray(value)
            ? value.map((item) => JSON.stringify({ ...item, arrival: undefined })).sort()
            : value,
        ]),
      );
    const order = fc.shuffledSubarray([...ONE_EVENT], { minLength: ONE_EVENT.length });
    fc.assert(
      fc.property(order, fc.integer({ min: 1, max: 300 }), (children, size) => {
        const { bulletins, errors } = readScml(scml(children), size);
        expect(errors).toEqual([]);
        expect(bulletins.map(sorted)).toEqual([sorted(whole)]);
      }),
      { numRuns: runs(100) },
    );
  });

  it("counts its elements, and those that no event names as dropped", () => {
    const alone = [
      pick("alone"),
      '<amplitude publicID="b"><type>A</type><amplitude><value>1</value></amplitude></amplitude>',
    ];
    const other = '<event publicID="e2"><preferredOriginID>o2</preferredOriginID></event>';
    const { elements, warnings } = readScml(scml([...ONE_EVENT, other, ...alone]));
    expect(elements).toEqual({
      event: { read: 2, kept: 2, dropped: 0 },
      origin: { read: 2, kept: 2, dropped: 0 },
      magnitude: { read: 1, kept: 1, dropped: 0 },
      stationMagnitude: { read: 1, kept: 1, dropped: 0 },
      amplitude: { read: 2, kept: 1, dropped: 1 },
      pick: { read: 8, kept: 7, dropped: 1 },
      arrival: { read: 8, kept: 8, dropped: 0 },
      focalMechanism: { read: 1, kept: 1, dropped: 0 },
      comment: { read: 3, kept: 3, dropped: 0 },
    });
    expect(warnings).toEqual([
      expect.stringContaining("elements pick beside the events that belong to none: 1"),
      expect.stringContaining("elements amplitude beside the events that belong to none: 1"),
      expect.stringContaining("not kept: amplitude 1, pick 1"),
    ]);
  });

  it("has all amplitudes, with their picks, where the document has no other event", () => {
    const amplitude = (id: string, pickId = "") =>
      `<amplitude publicID="${id}"><type>A</type><amplitude><value>1</value></amplitude>${pickId}</amplitude>`;
    const beside = [
      amplitude("b1"),
      amplitude("b2", "<pickID>p8</pickID>"),
      pick("p8"),
      pick("alone"),
    ];
    const { bulletins, elements } = readScml(scml([...beside, ...ONE_EVENT]));
    expect(bulletins[0]?.amplitude?.map(({ publicID }) => publicID)).toEqual(["b1", "b2", "a1"]);
    expect(bulletins[0]?.pick?.some(({ publicID }) => publicID === "p8")).toBe(true);
    expect(elements?.pick).toEqual({ read: 9, kept: 8, dropped: 1 });
  });

  it("shares objects with other events, which are kept once", () => {
    const other = '<event publicID="e2"><preferredOriginID>o2</preferredOriginID></event>';
    const { bulletins, elements } = readScml(scml([...ONE_EVENT, other]));
    expect(bulletins.map(({ publicID, pick: picks }) => [publicID, picks?.length])).toEqual([
      ["e1", 7],
      ["e2", 4],
    ]);
    expect(elements).toMatchObject({
      event: { read: 2, kept: 2, dropped: 0 },
      pick: { read: 7, kept: 7, dropped: 0 },
    });
  });
});
