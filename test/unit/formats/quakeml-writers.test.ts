import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  JsonObject,
  SeismicEvent,
  SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/writing/row-writer.ts";
import { createEventValidator } from "#services/domain/events/validation/validate-event.ts";
import { anyRecord, storableText } from "../../support/arbitrary-record.ts";
import { exportRowOf } from "../../support/export-row.ts";
import { withKept } from "../../support/formats/any-kept.ts";
import { anyMechanism } from "../../support/formats/any-mechanism.ts";
import { exportedCatalogue } from "../../support/formats/exported.ts";
import { ALL_MEMBERS } from "../../support/formats/quakeml-documents.ts";
import {
  hasQuakemlFiles,
  hasQuakemlSchema,
  QUAKEML_FILES,
  quakemlFaults,
} from "../../support/formats/quakeml-schema.ts";
import { eventsOf, readQuakeml } from "../../support/formats/readers.ts";
import { runs } from "../../support/runs.ts";

const EVENT_ID = "00000000-0000-8000-8000-00000000000";

function write(records: readonly SeismicEventRecord[]): string {
  const writer = createQuakemlWriter(exportedCatalogue("Ātea <&> catalogue"));
  const rows = records.map((record, i) =>
    writer.row(exportRowOf({ id: `${EVENT_ID}${i}`, ...record })),
  );
  return writer.begin() + rows.join("") + writer.end();
}

describe("QuakeML written and read again", () => {
  it("is the same focal mechanism, in QuakeML's own elements where they can hold it", () => {
    fc.assert(
      fc.property(
        anyRecord,
        fc.array(anyMechanism, { minLength: 1, maxLength: 3 }),
        (record, list) => {
          const text = write([{ ...record, extra: null, focal_mechanisms: list }]);
          const read = readQuakeml(text);
          expect(read.rows[0]?.["focal_mechanisms"]).toEqual(list);
          expect(text).not.toContain('"focal_mechanisms"');
        },
      ),
      { numRuns: runs(500, 1 / 10) },
    );
  });

  it("is the same of what extra keeps of an origin and a magnitude, right or wrong", () => {
    fc.assert(
      fc.property(withKept(anyRecord), (record) => {
        const read = readQuakeml(write([record]));
        expect(read.errors).toEqual([]);
        expect(read.rows[0]?.["extra"] ?? null).toEqual(record.extra);
        expect(read.rows[0]?.["horizontal_uncertainty"] ?? null).toBe(
          record.horizontal_uncertainty,
        );
      }),
      { numRuns: runs(3000, 1 / 20) },
    );
  });

  it("has all that was read of an agency's event in QuakeML's own elements", () => {
    const [row = {}] = readQuakeml(ALL_MEMBERS).rows;
    const { public_id, creation_time, version, ...kept } = row["extra"] as JsonObject;
    const result = createEventValidator({ nowMs: Date.now() })({ ...row, extra: kept });
    if (!result.ok) throw new Error(JSON.stringify(result.errors));
    const text = write([result.record]);
    expect(text).not.toContain("<ec:");
    expect(readQuakeml(text).rows).toEqual([{ ...row, extra: kept }]);
  });

  it("is the same identifier, whatever text it is", () => {
    fc.assert(
      fc.property(anyRecord, fc.option(storableText), (record, source_id) => {
        const read = readQuakeml(write([{ ...record, source_id }]));
        expect(read.rows[0]?.["source_id"] ?? null).toBe(source_id);
      }),
    );
  });

  it("has our own element only where QuakeML cannot say it", () => {
    const plain = { ...blank, source_id: "2024p344188", region: "Taupō & <Rotorua>", depth: 5.2 };
    expect(write([plain])).not.toContain("<ec:");
    expect(write([{ ...plain, extra: { a: 1 } }])).toContain("<ec:attributes>{&quot;extra&quot;");
    expect(write([{ ...plain, region: " blanks " }])).toContain("<text>blanks</text>");
  });
});

const blank = fc.sample(anyRecord, { numRuns: 1, seed: 2 }).map((record) => ({
  ...record,
  magnitude: 5,
  magnitude_type: "Mw",
  depth: 1,
  region: null,
  agency_id: null,
  author: null,
  extra: null,
  focal_mechanisms: null,
}))[0] as SeismicEventRecord;

/** What the schema says against a catalogue of these events. */
function faultsOf(name: string, events: readonly SeismicEvent[]): string {
  const writer = createQuakemlWriter(exportedCatalogue(name));
  const rows = events.map((event) => writer.row(exportRowOf(event)));
  return quakemlFaults(writer.begin() + rows.join("") + writer.end());
}

function eventId(index: number): string {
  return `7f3e1b52-9c4d-8a86-8000-0001${index.toString(16).padStart(8, "0")}`;
}

describe.skipIf(!hasQuakemlSchema)(
  "QuakeML against its schema (skipped without xmllint and the schema)",
  () => {
    it("is valid for any records, whatever extra keeps of them, and any focal mechanisms", () => {
      const sampled = <T>(arbitrary: fc.Arbitrary<T>, seed: number) =>
        fc.sample(arbitrary, { numRuns: runs(2_500, 1 / 20), seed });
      const mechanisms = sampled(anyMechanism, 5);
      const records = [
        ...sampled(anyRecord, 3),
        ...sampled(withKept(anyRecord), 6),
        ...mechanisms.map((mechanism) => ({ ...blank, focal_mechanisms: [mechanism] })),
      ];
      const events = records.map((record, i) => ({ id: eventId(i), ...record }));
      expect(faultsOf("any <records> & “more”", events)).toBe("");
    });

    it("is valid for a catalogue without events and a name that XML cannot hold", () => {
      expect(faultsOf("\u0001\ufffe", [])).toBe("");
    });

    it.skipIf(!hasQuakemlFiles)("is valid for what was read from agencies' files", () => {
      const validate = createEventValidator({ nowMs: Date.now() });
      const rows = globSync("**/*.{xml,qml}", { cwd: QUAKEML_FILES }).flatMap(
        (name): JsonObject[] => readQuakeml(readFileSync(join(QUAKEML_FILES, name), "utf8")).rows,
      );
      const events = rows.map((row, i) => {
        const result = validate(row);
        return result.ok ? { id: eventId(i), ...result.record } : null;
      });
      expect(events).not.toContain(null);
      expect(events.length).toBeGreaterThan(30);
      expect(faultsOf("real", events as SeismicEvent[])).toBe("");
    });
  },
);

const textOfFile = (name: string) => readFileSync(join(QUAKEML_FILES, name), "utf8");

describe.skipIf(!hasQuakemlFiles)("agencies' QuakeML files (skipped without them)", () => {
  it("have an event of each that has an origin, which can be submitted, and tell of the others", () => {
    for (const name of globSync("**/*.{xml,qml}", { cwd: QUAKEML_FILES })) {
      const text = textOfFile(name);
      const events = text.split(/<event[\s>]/).slice(1);
      const located = events.filter((event) => /<origin[\s>]/.test(event)).length;
      const told = readQuakeml(text);
      expect(eventsOf(told.rows), name).toMatchObject({ events: { length: located }, faults: [] });
      expect(told.errors, name).toEqual(
        Array(events.length - located).fill(expect.stringContaining("the event has no origin")),
      );
    }
  });

  it("give what their agencies say", () => {
    const geonet = expect.stringMatching(/^smi:nz\.org\.geonet\/./);
    for (const [name, expected] of [
      [
        "geonet_2024p344188_0.13.xml",
        {
          ...{ source_id: "2024p344188", depth: 5.1162109375, region: "Taupo" },
          extra: { earth_model_id: geonet, method_id: geonet },
        },
      ],
      [
        "usgs_us6000kawn_full.xml",
        { source_id: "us6000kawn", magnitude_type: "Mww", region: "Tonga" },
      ],
      ["ci15481673_phase-data.xml", { source_id: "ci15481673", depth: 7.46 }],
      ["sed_coseismiq_invalid_ids.xml", { source_id: "2018xnnxsavm", region: "Iceland Region" }],
      [
        "2004-12-26_mag6+.qml",
        { source_id: "7453151", magnitude: 8.69, horizontal_uncertainty: 4.57366 },
      ],
      ["obspy/preferred.xml", { time: "2012-12-12T05:46:24.1200", magnitude: 2 }],
      ["obspy/invalid_enum.xml", { depth_type: null, magnitude: null }],
    ] as const) {
      expect(readQuakeml(textOfFile(name)).rows[0], name).toMatchObject(expected);
    }
  });

  it("that are cut off anywhere are read up to the last complete event", () => {
    const text = textOfFile("2004-12-26_mag6+.qml");
    for (const share of [0.2, 0.5, 0.9]) {
      const cut = text.slice(0, text.length * share);
      const told = readQuakeml(cut);
      expect(told.rows).toHaveLength(cut.match(/<\/event>/g)?.length ?? 0);
      expect(told.errors).toHaveLength(1);
    }
  });
});
