import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/quakeml-writer.ts";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { anyRecord } from "../../../support/arbitrary-record.ts";
import { exportRowOf } from "../../../support/export-row.ts";
import { runs } from "../../../support/runs.ts";
import { withKept } from "./arbitrary-kept.ts";
import { anyMechanism } from "./arbitrary-mechanism.ts";
import { exportedCatalogue } from "./exported-catalogue.ts";
import { readPieces } from "./read-pieces.ts";
import { hasRealData, hasSchema, REAL_DATA_DIR } from "./real-data.ts";
import { schemaFaults } from "./schema-faults.ts";

/** What the schema says against a catalogue of these events. */
function faultsOf(name: string, events: readonly SeismicEvent[]): string {
  const writer = createQuakemlWriter(exportedCatalogue(name));
  const rows = events.map((event) => writer.row(exportRowOf(event)));
  return schemaFaults(writer.begin() + rows.join("") + writer.end());
}

function eventId(index: number): string {
  return `7f3e1b52-9c4d-8a86-8000-0001${index.toString(16).padStart(8, "0")}`;
}

describe.skipIf(!hasSchema)(
  "QuakeML against its schema (skipped without xmllint and the schema)",
  () => {
    it("is valid for any records", () => {
      const records = fc.sample(anyRecord, { numRuns: runs(3000), seed: 3 });
      const events = records.map((record, i) => ({ id: eventId(i), ...record }));
      expect(faultsOf("any <records> & “more”", events)).toBe("");
    });

    it("is valid for whatever extra keeps of origins and magnitudes", () => {
      const records = fc.sample(withKept(anyRecord), { numRuns: runs(3000), seed: 6 });
      const events = records.map((record, i) => ({ id: eventId(i), ...record }));
      expect(faultsOf("kept", events)).toBe("");
    });

    it("is valid for any focal mechanisms", () => {
      const [record] = fc.sample(anyRecord, { numRuns: 1, seed: 4 });
      if (record === undefined) throw new Error("no sample");
      const mechanisms = fc.sample(anyMechanism, { numRuns: runs(1000), seed: 5 });
      const events = mechanisms.map((mechanism, i) => ({
        ...record,
        id: eventId(i),
        focal_mechanisms: [mechanism],
      }));
      expect(faultsOf("mechanisms", events)).toBe("");
    });

    it("is valid for a catalogue without events and a name that XML cannot hold", () => {
      expect(faultsOf("\u0001\ufffe", [])).toBe("");
    });

    it.skipIf(!hasRealData)("is valid for what was read from agencies' files", () => {
      const folder = join(REAL_DATA_DIR, "quakeml");
      const validate = createEventValidator({ nowMs: Date.now() });
      const rows = readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(?:xml|qml)$/.test(name))
        .flatMap((name): JsonObject[] => readPieces(readFileSync(join(folder, name), "utf8")).rows);
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
