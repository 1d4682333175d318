import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { createWholeQuakemlWriter } from "#infra/formats/quakeml/writing/bulletin-writer.ts";
import { createSubmittedReader, RowOfBulletin } from "#services/events/submission.ts";
import { anyBulletin } from "../../support/bulletins/any-bulletin.ts";
import { anyDocument } from "../../support/formats/any-quakeml.ts";
import { exportedCatalogue } from "../../support/formats/exported.ts";
import { readFile } from "../../support/formats/readers.ts";
import { sample } from "../../support/formats/sample.ts";
import { runs } from "../../support/runs.ts";

const ROW = ["00000000-0000-8000-8000-000000000001"];
/** Where agencies write 0 for what they do not know, and −1 or nines. */
const NUMBERS = [0, 0, -1, -999, 0.25, 2, 45.5];
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const anySource = fc.constantFrom(
  ["smi:eu.emsc/unid", "http://quakeml.org/xmlns/quakeml/1.0"],
  ["smi:x.y/z", "http://quakeml.org/xmlns/quakeml/1.2"],
);

/** With numbers and times as events have them, so that there are valid rows. */
function plausible(value: unknown, name = ""): unknown {
  if (typeof value === "number") {
    if (name === "latitude" || name === "longitude") return 12.5;
    return NUMBERS[Math.abs(Math.round(value % 1e6)) % NUMBERS.length];
  }
  if (Array.isArray(value)) return value.map((one) => plausible(one, name));
  if (typeof value === "string") {
    const [, year = ""] = /^[+-]?\d*(\d\d)-\d\d-\d\dT/.exec(value) ?? [];
    return year === "" ? value.replace(NOT_IN_XML, "") : `19${year}-01-02T03:04:05Z`;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, one]) => [
      member,
      plausible(one, member === "value" && name !== "" ? name : member),
    ]),
  );
}

function documentOf(
  bulletin: Bulletin,
  [publicID = "", namespace = ""]: readonly string[],
): string {
  const writer = createWholeQuakemlWriter(exportedCatalogue("c"), "given");
  const text = writer.begin() + writer.row(ROW, bulletin) + writer.end();
  return text
    .replace(/(<eventParameters publicID=")[^"]*/, `$1${publicID}`)
    .replace("http://quakeml.org/xmlns/quakeml/1.2", namespace);
}

/** What a kept upload of the file makes, and what its rows make that are posted with their bulletins. */
function bothWays(file: string) {
  const { rows, bulletins } = readFile(file, { extension: "xml", bulletins: true });
  const whole = rows.length === bulletins.length ? rows : [];
  return whole.map((row, i) => {
    const bulletin = bulletins[i] as Bulletin;
    const posted: Record<string, unknown> = JSON.parse(JSON.stringify({ ...row, bulletin }));
    const json = JSON.parse(JSON.stringify(row));
    const read = createSubmittedReader({ nowMs: Date.UTC(2026, 0) });
    return [read(new RowOfBulletin(json, bulletin)), read(posted)].map(({ result, packed }) => ({
      result,
      isHeld: packed !== null,
    }));
  });
}

describe("the rows of an upload that are posted with their bulletins make the events of the upload", () => {
  test("where the file has any bulletin", () => {
    let valid = 0;
    fc.assert(
      fc.property(anyBulletin, anySource, (bulletin, source) => {
        for (const [kept, posted] of bothWays(
          documentOf(plausible(bulletin) as Bulletin, source),
        )) {
          expect(posted).toEqual(kept);
          if (kept?.result.ok === true) valid++;
        }
      }),
      { numRuns: runs(200, 1 / 10) },
    );
    expect(valid).toBeGreaterThan(0);
  });

  test("where the file's lines have any characters", () => {
    const files = [
      sample("isf/extended.isf"),
      sample("ndk/andes.ndk") + sample("ndk/ridge.ndk"),
      sample("nonlinloc/version-7.hyp"),
      sample("hypodd/phases.pha"),
      `${sample("nordic/old.nor")}\n`,
    ];
    const anyMark = fc.constantFrom("\u0001", "\u000b", "\f", "\u001f", "\ufffe", "\u007f", "é");
    let valid = 0;
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.nat(9999), anyMark, (file, place, mark) => {
        const at = Math.floor((file.length * place) / 10_000);
        const changed = file.slice(0, at) + mark + file.slice(at + 1);
        for (const [kept, posted] of bothWays(changed)) {
          expect(posted).toEqual(kept);
          if (kept?.result.ok === true) valid++;
        }
      }),
      { numRuns: runs(500, 1 / 10) },
    );
    expect(valid).toBeGreaterThan(10);
  });

  test("where the file has any markup", () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        for (const [kept, posted] of bothWays(document)) expect(posted).toEqual(kept);
      }),
      { numRuns: runs(500, 1 / 10) },
    );
  });
});
