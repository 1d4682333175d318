import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { paddedTime } from "#infra/formats/facade-row.ts";
import { createEventValidator } from "#services/domain/events/validation/validate-event.ts";
import {
  documentOf,
  eventOf,
  magnitudeOf,
  originOf,
} from "../../../support/formats/quakeml-documents.ts";
import { hasQuakemlSchema, quakemlFaults } from "../../../support/formats/quakeml-schema.ts";
import { readQuakeml } from "../../../support/formats/readers.ts";
import { testRows } from "../../../support/test-rows.ts";
import {
  answerOf,
  BARE,
  eventsOf,
  type FacadeEvent,
  FULL,
  MEMBERS,
  MERGED,
  storedRecord,
} from "./facade-answer.ts";

const WITH_MEMBERS: FacadeEvent = { ...MERGED, members: MEMBERS };
const ALL = { allOrigins: true, allMagnitudes: true };

const OWN = "smi:local.catalogue";
const ID = "0f0e1d2c000080008000000100000002";

function idsOf(text: string, element: string): string[] {
  return [...text.matchAll(new RegExp(`<${element} publicID="([^"]*)"`, "g"))].map(
    ([, id]) => id ?? "",
  );
}

function preferred(text: string): (string | undefined)[] {
  return ["Origin", "Magnitude", "FocalMechanism"].map(
    (kind) => new RegExp(`<preferred${kind}ID>([^<]*)<`).exec(text)?.[1],
  );
}

describe("QuakeML for clients", () => {
  test("QuakeML for clients of an event of which only place and time are known", () => {
    const text = answerOf("xml", [BARE]);
    expect(text.slice(text.indexOf("<event "))).toBe(
      `<event publicID="${OWN}/id/${ID}"><preferredOriginID>${OWN}/origin/${ID}</preferredOriginID>` +
        "<description><text>SOUTH OF FIJI ISLANDS</text><type>Flinn-Engdahl region</type></description>" +
        `<origin publicID="${OWN}/origin/${ID}"><time><value>1000-01-01T00:00:00Z</value></time>` +
        "<latitude><value>-20.5</value></latitude><longitude><value>-180</value></longitude></origin></event>\n" +
        "</eventParameters>\n</q:quakeml>\n",
    );
  });

  test("QuakeML for clients has a given region as it is, and times of 0, 3 or 6 digits", () => {
    const text = answerOf("xml", [FULL]);
    expect(text).toContain(
      "<description><text>Kaikōura, &quot;Te Waipounamu&quot;</text><type>region name</type></description>",
    );
    expect(text).not.toContain("Flinn-Engdahl");
    expect(text).toContain("<time><value>2016-11-13T11:02:56.346090Z</value></time>");
  });

  testRows(
    "QuakeML for clients names an event by its source_id where clients can take it, and is read back so",
    [
      ["us1000778i", `${OWN}/event/us1000778i`],
      ["2024-abc", `${OWN}/id/0f0e1d2c000080008000000100000001`],
      ["smi:nz.org.geonet/2024p1", `${OWN}/id/0f0e1d2c000080008000000100000001`],
      [null, `${OWN}/id/0f0e1d2c000080008000000100000001`],
    ],
    (source_id, publicId) => {
      const text = answerOf("xml", [{ ...FULL, source_id }]);
      expect(idsOf(text, "event")).toEqual([publicId]);
      // What clients take for the id: the last word, the last part of the path.
      expect(/\w+$/.exec(publicId)?.[0]).toBe(publicId.split("/").at(-1));
      const [row] = readQuakeml(text).rows;
      expect(row?.["source_id"] ?? null).toBe(source_id);
      expect(row?.["extra"]).toBeUndefined();
    },
  );

  test("QuakeML for clients is read back as the same records, without the regions that were added", () => {
    fc.assert(
      fc.property(fc.array(storedRecord, { minLength: 1, maxLength: 3 }), (records) => {
        const { rows, errors } = readQuakeml(answerOf("xml", eventsOf(records)));
        expect(errors).toEqual([]);
        const validate = createEventValidator({ nowMs: Date.now() });
        const back = rows.map((row) => {
          const result = validate(row);
          return result.ok ? result.record : result.errors;
        });
        expect(back).toEqual(
          records.map((record) => ({ ...record, time: paddedTime(record.time) })),
        );
      }),
    );
  });

  test("QuakeML for clients names preferred parts that are there", () => {
    fc.assert(
      fc.property(storedRecord, (record) => {
        const text = answerOf("xml", [{ id: BARE.id, ...record, members: MEMBERS }], ALL);
        const [origin, magnitude, mechanism] = preferred(text);
        expect(idsOf(text, "origin")[0]).toBe(origin);
        if (record.magnitude === null) expect(magnitude).toBeUndefined();
        else expect(idsOf(text, "magnitude")[0]).toBe(magnitude);
        const isThere = (record.focal_mechanisms ?? []).length > 0;
        expect(idsOf(text, "focalMechanism")[0]).toBe(mechanism);
        expect(mechanism !== undefined).toBe(isThere);
      }),
    );
  });
});

describe("the region of an agency's event", () => {
  test("the region of an agency's event is the Flinn-Engdahl region that its QuakeML says", () => {
    const description =
      "<description><text>GERMANY</text><type>Flinn-Engdahl region</type></description>";
    const [row] = readQuakeml(documentOf(eventOf(description + originOf()))).rows;
    expect(row?.["region"]).toBe("GERMANY");
  });
});

describe("QuakeML that this service wrote when its ids had hyphens", () => {
  test("QuakeML that this service wrote when its ids had hyphens is read without an id", () => {
    const publicId = `publicID="${OWN}/id/0f0e1d2c-0000-8000-8000-000100000001"`;
    const magnitude = magnitudeOf("5", "Mw", "", `${OWN}/magnitude/1`);
    const preferredId = `<preferredMagnitudeID>${OWN}/magnitude/1</preferredMagnitudeID>`;
    const [row] = readQuakeml(
      documentOf(eventOf(preferredId + originOf() + magnitude, publicId)),
    ).rows;
    expect(row?.["source_id"]).toBeUndefined();
    expect(row?.["extra"]).toBeUndefined();
    expect(row?.["magnitude"]).toBe(5);
  });
});

describe("a merged event in QuakeML for clients", () => {
  test("a merged event in QuakeML for clients has its own origin and magnitude alone unless all are asked for", () => {
    const text = answerOf("xml", [WITH_MEMBERS]);
    expect(text).toBe(answerOf("xml", [MERGED]));
    expect(idsOf(text, "origin")).toHaveLength(1);
    expect(idsOf(text, "magnitude")).toHaveLength(1);
  });

  test("a merged event in QuakeML for clients has the members' other origins and magnitudes", () => {
    const text = answerOf("xml", [WITH_MEMBERS], ALL);
    const b = "bbbbbbbb000080008000000100000002";
    expect(idsOf(text, "origin")).toEqual([
      `${OWN}/origin/0f0e1d2c000080008000000100000004`,
      `${OWN}/origin/${b}`,
      `${OWN}/origin/cccccccc000080008000000100000003`,
    ]);
    expect(text).toContain(
      `<origin publicID="${OWN}/origin/${b}"><time><value>2024-03-01T00:00:02.500Z</value></time>` +
        "<latitude><value>5.6</value></latitude><longitude><value>180</value></longitude>" +
        "<timeFixed>false</timeFixed><originUncertainty><horizontalUncertainty>7500</horizontalUncertainty>" +
        "<preferredDescription>horizontal uncertainty</preferredDescription></originUncertainty>" +
        "<creationInfo><agencyID>us</agencyID></creationInfo></origin>",
    );
    expect(text).toContain(
      `<magnitude publicID="${OWN}/magnitude/${b}"><mag><value>5.3</value></mag><type>Mww</type>` +
        `<originID>${OWN}/origin/${b}</originID></magnitude>`,
    );
    expect(idsOf(text, "magnitude")).toHaveLength(2);
  });

  test("a merged event in QuakeML for clients has magnitudes that name no origin that is not there", () => {
    const text = answerOf("xml", [WITH_MEMBERS], { allMagnitudes: true });
    expect(idsOf(text, "origin")).toHaveLength(1);
    expect(idsOf(text, "magnitude")).toHaveLength(2);
    expect(text).toContain("<type>Mww</type></magnitude>");
  });

  test("a merged event in QuakeML for clients has origins without the members' magnitudes", () => {
    const text = answerOf("xml", [WITH_MEMBERS], { allOrigins: true });
    expect(idsOf(text, "origin")).toHaveLength(3);
    expect(idsOf(text, "magnitude")).toHaveLength(1);
  });

  test("a merged event in QuakeML for clients is read back without its members, and an unknown magnitude stays so", () => {
    const event = { ...WITH_MEMBERS, magnitude: null, magnitude_type: null };
    const text = answerOf("xml", [event], ALL);
    expect(idsOf(text, "magnitude")).toHaveLength(2);
    const [row] = readQuakeml(text).rows as [JsonObject];
    expect(row).toMatchObject({ latitude: 5.5, longitude: 180, depth: 33, magnitude: null });
    expect(row["source_events"]).toEqual(MERGED.source_events);
    expect(row["extra"]).toBeUndefined();
  });
});

describe.skipIf(!hasQuakemlSchema)(
  "QuakeML for clients against its schema (skipped without xmllint and the schema)",
  () => {
    test("is valid for any records, as events and as members of events", () => {
      const records = fc.sample(storedRecord, { numRuns: 1000, seed: 8 });
      const events = records.map((record, i) => ({
        id: `7f3e1b52-9c4d-8a86-8000-0001${i.toString(16).padStart(8, "0")}`,
        ...record,
        members: records.slice(i, i + 3).map((member, k) => ({
          id: `aaaaaaaa-9c4d-8a86-800${k}-0001${i.toString(16).padStart(8, "0")}`,
          ...member,
        })),
      }));
      expect(quakemlFaults(answerOf("xml", events, ALL))).toBe("");
      expect(quakemlFaults(answerOf("xml", [FULL, BARE, WITH_MEMBERS]))).toBe("");
      expect(quakemlFaults(answerOf("xml", []))).toBe("");
    });
  },
);
