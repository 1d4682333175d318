import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { BulletinBody } from "#contracts/bulletin/bulletin-schema.ts";
import { createWholeQuakemlWriter } from "#infra/formats/quakeml/whole-quakeml-writer.ts";
import { anyBulletin } from "../../../support/quakeml/any-bulletin.ts";
import { everyMember } from "../../../support/quakeml/every-member.ts";
import { leavesOf } from "../../../support/quakeml/leaves.ts";
import { runs } from "../../../support/runs.ts";
import { exportedCatalogue } from "./exported-catalogue.ts";
import { readWhole } from "./read-pieces.ts";
import { hasRealData, hasSchema, REAL_DATA_DIR } from "./real-data.ts";
import { schemaFaults } from "./schema-faults.ts";

const FORMS = ["valid", "given"] as const;
const ROW = ["00000000-0000-8000-8000-000000000001"];

function written(bulletins: readonly Bulletin[], form: (typeof FORMS)[number]): string {
  const writer = createWholeQuakemlWriter(exportedCatalogue("c"), form);
  return writer.begin() + bulletins.map((b) => writer.row(ROW, b)).join("") + writer.end();
}

/** What XML gives back in another order: foreign parts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === "foreign"
        ? (item as object[]).map((one) => JSON.stringify(one, Object.keys(one).sort())).sort()
        : sorted(item),
    ]),
  );
}

const FOREIGN = ["urn:a", "urn:b"].map((ns) => ({ ns, name: "mark", attribute: true, text: ns }));
const DEEP = [1, 2, 3, 4].reduce<object>(
  (child, level) => ({ ns: `urn:level:${level % 3}`, name: "level", children: [child] }),
  { ns: "http://quakeml.org/xmlns/quakeml/1.2", name: "core", text: "5" },
);

describe("QuakeML of whole events", () => {
  it.each(FORMS)("has every member of the table, in the form %s", (form) => {
    const bulletin = BulletinBody.parse(everyMember());
    const xml = written([bulletin], form);
    const { bulletins, warnings, errors } = readWhole(xml);
    expect([...warnings, ...errors]).toEqual([]);
    expect(bulletins).toEqual([bulletin]);
    expect(written(bulletins as Bulletin[], form)).toBe(xml);
  });

  it.each(FORMS)("has foreign elements and attributes on every type, in the form %s", (form) => {
    const bulletin = everyMember((type) =>
      type === "WaveformStreamID" ? FOREIGN : [...FOREIGN, DEEP],
    );
    expect(readWhole(written([bulletin], form)).bulletins).toEqual([bulletin]);
  });

  it.each(FORMS)("is read again as any bulletin, wherever it is cut, in the form %s", (form) => {
    fc.assert(
      fc.property(anyBulletin, fc.array(fc.nat(5000), { maxLength: 3 }), (bulletin, cuts) => {
        const located = { ...bulletin, origin: everyMember().origin ?? [] };
        const { bulletins, errors } = readWhole(written([located], form), cuts);
        expect(errors).toEqual([]);
        expect(sorted(bulletins[0])).toEqual(sorted(located));
      }),
      { numRuns: runs(500) },
    );
  });

  it.skipIf(!hasSchema)(
    "is valid by the schema, whatever the bulletin (skipped without it)",
    () => {
      const bulletins = fc.sample(anyBulletin, { numRuns: runs(500), seed: 8 });
      expect(schemaFaults(written([everyMember(() => [...FOREIGN]), ...bulletins], "valid"))).toBe(
        "",
      );
    },
  );

  it("names objects with refused ids by ids of the service, and references follow", () => {
    const bulletin = everyMember();
    const pick = { ...bulletin.pick?.[0], publicID: ">" };
    const origin = bulletin.origin?.[0];
    const arrival = { publicID: "smi:x.y/a", pickID: ">", phase: "P" };
    const origins = [{ ...origin, arrival: [arrival] }];
    const located = { ...bulletin, pick: [pick], origin: origins } as Bulletin;
    const xml = written([located], "valid");
    const [, id] =
      /<pick publicID="(smi:local\.catalogue\/[^"]+)" ec:givenID="&gt;"/.exec(xml) ?? [];
    expect(xml).toContain(`<pickID>${id}</pickID>`);
    expect(written([located], "given")).toContain("<pickID>&gt;</pickID>");
  });
});

describe.skipIf(!hasRealData)("agencies' files as whole events (skipped without them)", () => {
  const folder = join(REAL_DATA_DIR, "quakeml");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(?:xml|qml)$/.test(name),
  );

  it("give back 48,032 of 48,032 leaves of located events", () => {
    let leaves = 0;
    for (const file of files) {
      const text = readFileSync(join(folder, file), "utf8");
      const bulletins = readWhole(text).bulletins as Bulletin[];
      if (bulletins.length === 0) continue;
      const before = leavesOf(text);
      expect(leavesOf(written(bulletins, "given")), file).toEqual(before);
      leaves += before.length;
    }
    expect(leaves).toBe(48_032);
  });

  it.each(FORMS)("are read again as they were, in the form %s", (form) => {
    for (const file of files) {
      const { bulletins } = readWhole(readFileSync(join(folder, file), "utf8"));
      const xml = written(bulletins as Bulletin[], form);
      expect(readWhole(xml).bulletins, file).toEqual(bulletins);
      if (hasSchema && form === "valid") expect(schemaFaults(xml), file).toBe("");
    }
  });
});
