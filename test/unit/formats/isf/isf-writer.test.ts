import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { createIsfWriter } from "#infra/formats/isf/isf-writer.ts";
import { anyBulletin } from "../../../support/bulletins/any-bulletin.ts";
import { smallBulletin } from "../../../support/bulletins/small-bulletin.ts";
import { runs } from "../../../support/runs.ts";
import { readFile } from "../read-file.ts";
import { readFixture } from "./isf-fixture.ts";

type Origin = QuakemlObject<"Origin">;

function written(...bulletins: readonly Bulletin[]): string {
  const writer = createIsfWriter("a test");
  return writer.begin() + bulletins.map(writer.event).join("") + writer.end();
}

/** Without the counts at the end. */
function lines(file: string): string {
  return file.slice(0, file.indexOf("\nSTOP\n"));
}

function counts(file: string): readonly string[] {
  return file.split("\nSTOP\n")[1]?.trim().split("\n") ?? [];
}

const INSTANT = /^[+-]?\d{4,6}-\d\d-\d\dT.*Z$/;

/** Numbers with few digits and times of one night, as events have them. */
function plausible(value: unknown): unknown {
  if (typeof value === "number") return Math.round((value % 90) * 10) / 10 + 0;
  if (typeof value === "string" && INSTANT.test(value)) {
    const seconds = (Math.abs(Date.parse(value)) / 1000) % 10_000;
    const midnight = Date.UTC(2024, 4, 7);
    return new Date(midnight + (Number.isNaN(seconds) ? 0 : seconds - 5000) * 1000).toISOString();
  }
  if (Array.isArray(value)) return value.map(plausible);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plausible(one)]));
}

/** With one mechanism: ISF tells those of one author apart only where a part is repeated. */
function plausibleBulletin(bulletin: Bulletin): Bulletin {
  const { focalMechanism, ...rest } = plausible(bulletin) as Bulletin;
  return focalMechanism ? { ...rest, focalMechanism: focalMechanism.slice(0, 1) } : rest;
}

describe("an ISF file that is written", () => {
  test("is what was read, in the columns of 2.1", () => {
    const { bulletins } = readFixture("extended");
    const file = written(...bulletins);
    expect(file.endsWith("\nSTOP\n")).toBe(true);
    expect(readFile(file).bulletins).toEqual(bulletins);
  });

  test("loses of ISF 1.0 what only phase information has, and counts it", () => {
    const { bulletins } = readFixture("first");
    const file = written(...bulletins);
    expect(counts(file)).toEqual([
      "(not written: 1 of arrival, 1 of pick)",
      " (values not written: 1 of amplitude)",
    ]);
    const again = readFile(file);
    expect(again.bulletins.map(({ origin }) => origin?.length)).toEqual([2, 1]);
    expect(again.bulletins[0]?.pick).toMatchObject([{ publicID: "32" }]);
  });

  test("has what QuakeML has in its columns, and counts the rest", () => {
    const file = written(smallBulletin());
    const [bulletin] = readFile(file).bulletins;
    expect(bulletin).toMatchObject({
      publicID: "0",
      type: "earthquake",
      origin: [
        {
          publicID: "1",
          time: { value: "2024-05-06T07:08:01.5Z", uncertainty: 0.1 },
          depth: { value: 12_300 },
          arrival: [{ pickID: "1", phase: "P", timeResidual: 0.3 }],
        },
        { publicID: "2", arrival: [{ pickID: "2", phase: "S" }] },
      ],
      preferredOriginID: "1",
      magnitude: [
        { mag: { value: 4.5, uncertainty: 0.2 }, type: "Mw", originID: "1" },
        { mag: { value: 4.7 }, type: "ML", originID: "2" },
      ],
      pick: [
        { waveformID: { networkCode: "NZ", stationCode: "WEL", channelCode: "HHZ" } },
        { time: { value: "2024-05-06T07:08:12.25Z" } },
      ],
    });
    expect(counts(file)).toEqual([
      "(not written: 1 of amplitude, 1 of comment)",
      " (values not written: 3 of magnitude, 1 of stationMagnitude, 2 of event)",
      " (values rounded to the columns: 2)",
      " (ids replaced by shorter ones: 5)",
    ]);
  });

  test("names agencies in the columns of authors, and people only where there is none", () => {
    const [first, second] = smallBulletin().origin ?? [];
    const by = (creationInfo: object) => ({ ...first, ...second, creationInfo }) as Origin;
    const origin = [
      by({ agencyID: "AAA", author: "analyst1" }),
      by({ agencyID: "A LONG NAME", author: "analyst1" }),
      by({ author: "BBB" }),
    ];
    const read = readFile(written({ ...smallBulletin(), origin }));
    expect(read.bulletins[0]?.origin?.map((one) => one.creationInfo)).toEqual([
      { agencyID: "AAA", author: "AAA" },
      undefined,
      { agencyID: "BBB", author: "BBB" },
    ]);
  });

  test("marks the preferred magnitude, which is preferred again", () => {
    const magnitude = [
      { publicID: "smi:x.y/m1", mag: { value: 5.4 }, type: "Mww" },
      {
        publicID: "smi:x.y/m2",
        mag: { value: 6 },
        type: "ML",
        comment: [{ text: "#PREFERRED by none" }],
      },
    ];
    const preferred = { ...smallBulletin(), magnitude, preferredMagnitudeID: "smi:x.y/m2" };
    const file = written(preferred);
    expect(file).toContain("ML     6.0\n (#PREFERRED)\n ( #PREFERRED by none)\n");
    expect(readFile(file).events).toMatchObject([{ magnitude: 6, magnitude_type: "ML" }]);
    const { preferredMagnitudeID: _, ...unsaid } = preferred;
    expect(written(unsaid)).not.toContain("(#PREFERRED)");
    expect(counts(file)).toEqual(counts(written(unsaid)));
  });

  test("of any bulletin is read again", () => {
    fc.assert(
      fc.property(anyBulletin, (bulletin) => {
        const { bulletins, errors } = readFile(written(bulletin, smallBulletin()));
        const [last] = bulletins.slice(-1);
        expect(last).toMatchObject({ publicID: "0", preferredOriginID: "1" });
        if (bulletins.length === 2) expect(errors).toEqual([]);
        else expect(errors).toEqual([expect.stringContaining("the event has no origin")]);
      }),
      { numRuns: runs(200) },
    );
  });

  test("of any plausible bulletin is written as it was when it is read", () => {
    fc.assert(
      fc.property(anyBulletin, (any) => {
        const first = written(plausibleBulletin(any));
        const { bulletins } = readFile(first);
        if (bulletins.length > 0) expect(lines(written(...bulletins))).toBe(lines(first));
        const again = readFile(written(...bulletins)).bulletins;
        expect(again).toEqual(bulletins);
      }),
      { numRuns: runs(200) },
    );
  });
});
