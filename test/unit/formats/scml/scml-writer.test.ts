import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { createScmlWriter } from "#infra/formats/scml/scml-writer.ts";
import { anyBulletin as hostileBulletin } from "../../../support/bulletins/any-bulletin.ts";
import { anyBulletin } from "../../../support/bulletins/likely-bulletin.ts";
import { smallBulletin } from "../../../support/bulletins/small-bulletin.ts";
import { hasSchema, schemaFaults } from "../../../support/formats/sc3ml-schema.ts";
import { runs } from "../../../support/runs.ts";

function written(...bulletins: readonly Bulletin[]): string {
  const writer = createScmlWriter();
  return writer.begin() + bulletins.map((one) => writer.event(one)).join("") + writer.end();
}

describe.skipIf(!hasSchema)("SC3ML 0.13 against its schema (skipped without it)", () => {
  it("is valid for any bulletins", () => {
    const bulletins = fc.sample(anyBulletin, { numRuns: runs(500), seed: 1 });
    expect(schemaFaults(written(...bulletins))).toBe("");
  });

  it("is valid for bulletins with any texts and foreign elements", () => {
    const bulletins = fc.sample(hostileBulletin, { numRuns: runs(200), seed: 2 });
    expect(schemaFaults(written(...bulletins))).toBe("");
  });

  it("is valid without events", () => {
    expect(schemaFaults(written())).toBe("");
  });
});

describe("what is written of an event", () => {
  it("puts magnitudes into their origins and refers to the origins", () => {
    const xml = written(smallBulletin());
    expect(xml).toMatch(
      /<origin publicID="[^"]*origin\/1">.*<magnitude publicID="[^"]*magnitude\/1">/,
    );
    expect(xml.match(/<originReference>/g)).toHaveLength(2);
  });
});
