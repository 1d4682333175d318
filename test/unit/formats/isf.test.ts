import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bulletin, Foreign, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { OWN_NAMESPACE } from "#infra/formats/bulletin/members.ts";
import { createIsfWriter } from "#infra/formats/isf/writer.ts";
import { anyBulletin } from "../../support/bulletins/any-bulletin.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { readFile } from "../../support/formats/readers.ts";
import { sample } from "../../support/formats/sample.ts";
import { runs } from "../../support/runs.ts";

// What whole files are read as stands beside them in test/fixtures/formats: see golden.test.ts.
// `first` is in the columns of ISF 1.0 with phase information, `extended` in those of 2.1.

const EXTENDED = sample("isf/extended.isf");
const FIRST = sample("isf/first.isf");
const WHOLE = readFile(FIRST).bulletins;

/** The file with one text replaced, which is there once. */
function changed(file: string, from: string, to: string): string {
  expect(file.split(from)).toHaveLength(2);
  return file.replace(from, to);
}

/** Own foreign elements by name. */
function own(object: { readonly foreign?: readonly Foreign[] } | undefined): object {
  const elements = (object?.foreign ?? []).filter(({ ns }) => ns === OWN_NAMESPACE);
  return Object.fromEntries(elements.map(({ name, text = "" }) => [name, text]));
}

test("an origin's type in ISF makes the event's", () => {
  for (const [letters, type, typeCertainty] of [
    ["ke", "earthquake", "known"],
    ["se", "earthquake", "suspected"],
    ["de", "earthquake", "known"],
    ["fe", "earthquake", "known"],
    ["kr", "rock burst", "known"],
    ["si", "induced or triggered event", "suspected"],
    ["km", "mining explosion", "known"],
    ["sh", "chemical explosion", "suspected"],
    ["kx", "experimental explosion", "known"],
    ["kn", "nuclear explosion", "known"],
    ["ls", "landslide", "known"],
  ] as const) {
    const [bulletin] = readFile(changed(FIRST, " uk IDC", ` ${letters} IDC`)).bulletins;
    expect(bulletin, letters).toMatchObject({ type, typeCertainty });
  }
});

describe("the head of an ISF file", () => {
  test("may have any case, mail headers before it, and a web page around it", () => {
    const head = FIRST.replace(/^DATA_TYPE.*/, (line) => line.toLowerCase());
    expect(readFile(`From: somebody\nSubject: bulletin\n\n${head}`).bulletins).toHaveLength(2);
    const escaped = EXTENDED.replaceAll("<", "&lt;");
    const page = `<!DOCTYPE html>\n<html><body>\n<pre>${escaped}</pre></body></html>\n`;
    const { bulletins } = readFile(page, { extension: "html" });
    expect(bulletins).toEqual(readFile(EXTENDED).bulletins);
  });

  test("may announce events, but no other columns", () => {
    const events = FIRST.replace("DATA_TYPE BULLETIN", "DATA_TYPE EVENT");
    expect(readFile(events).bulletins).toEqual(WHOLE);
    for (const format of ["IMS1.0:long", "GSE2.0"]) {
      expect(readFile(FIRST.replace("IMS1.0:short", format))).toMatchObject({
        rows: [],
        errors: [`1: bulletins in ${format} have columns that are not read`],
      });
    }
  });

  test("is of an empty catalogue where no event follows", () => {
    const text = "DATA_TYPE BULLETIN IMS1.0:short\nBulletin\n\nNo events were found.\nSTOP\n";
    const nothing = { rows: [], errors: [], isCatalogue: true, format: "isf" };
    expect(readFile(text)).toMatchObject(nothing);
  });

  test("may come again after STOP, and events may do so without it", () => {
    const later = FIRST.slice(FIRST.indexOf("EVENT 4022"));
    expect(readFile(`${FIRST}\nsignature\n\n${later}${FIRST}`).rows).toHaveLength(5);
  });

  test("may be missing: the events are the same, whatever stands before them", () => {
    const events = FIRST.slice(FIRST.indexOf("EVENT 4021"));
    const page = `<!DOCTYPE html>\n<html><body>\n<pre>${events.replaceAll("<", "&lt;")}</pre>\n`;
    for (const text of [events, `Event list of ours\n\nkept by hand\n${events}`, page]) {
      const { bulletins, errors } = readFile(text, { extension: "txt" });
      expect({ bulletins, errors }).toEqual({ bulletins: WHOLE, errors: [] });
    }
    const open = events.slice(0, events.indexOf("STOP"));
    const ended = readFile(open);
    expect(ended).toMatchObject({ format: "isf", bulletins: WHOLE, errors: [] });
    const message = "the file ends without STOP and may be cut off there";
    expect(ended.warnings).toEqual([expect.stringContaining(message)]);
    const cut = readFile(open.trimEnd());
    expect(cut.bulletins).toEqual(WHOLE.slice(0, 1));
    expect(cut.errors).toEqual([expect.stringContaining("may be cut off there")]);
  });

  test("may not announce origins of no event, which are no table either", () => {
    const [header = "", origin = ""] = FIRST.split("\n").filter((line) => /^ *Date|^\d/.test(line));
    for (const head of ["", "DATA_TYPE ORIGIN IMS1.0:short\n"]) {
      const { rows, errors } = readFile(`${head}${header}\n${origin}\nSTOP\n`);
      expect(rows).toEqual([]);
      expect(errors).toEqual([`${head === "" ? 1 : 2}: the origins are of no event`]);
    }
  });
});

describe("a faulty ISF file", () => {
  test("has an error at the line, and nothing of its event", () => {
    const begun = ", of the event that line 3 begins";
    for (const [from, to, error, left] of [
      ["  0.50 m__", "  0.5x m__", `13: columns 94 to 98 hold "0.5x", no number${begun}`, "4022"],
      ["2000/01/01 00:00:60.00", "2000/13/01 00:00:60.00", "6: ", "4022"],
      ["2000/01/01 00:00:60.00", "2000/01/01 00-00:60.00", "6: ", "4022"],
      ["DAVOX   1.00  90.0 S ", "        1.00  90.0 S ", "14: ", "4022"],
      ["23:59:58.000", "23:5a:58.000", "13: ", "4022"],
      ["46.3000    8.4000", "                 ", "19: the event has no origin", "4021"],
    ] as const) {
      const { rows, errors, elements } = readFile(changed(FIRST, from, to));
      expect(rows, to).toMatchObject([{ source_id: left }]);
      expect(errors).toEqual([expect.stringContaining(error)]);
      expect(errors[0]?.startsWith(error)).toBe(true);
      expect(elements?.event).toEqual({ read: 2, kept: 1, dropped: 1 });
    }
  });

  test("that is cut anywhere has no half event", () => {
    const start = FIRST.indexOf("EVENT 4021") + "EVENT 4021".length;
    for (let length = start; length < FIRST.indexOf("STOP"); length += 37) {
      const { bulletins, errors } = readFile(FIRST.slice(0, length));
      expect(bulletins).toEqual(WHOLE.slice(0, bulletins.length));
      expect(errors).toHaveLength(1);
    }
  });
});

describe("an ISF file with more than QuakeML has", () => {
  test("keeps blocks that are not known, and letters without a meaning", () => {
    const block = "\nCategory  Score\nscreened   3.5\n";
    const text = changed(EXTENDED, "\nSTOP", `${block}\nSTOP`).replace(" mci ", " mcz ");
    const { bulletins, warnings, errors } = readFile(text);
    expect(errors).toEqual([]);
    expect(bulletins[0]?.foreign?.filter(({ name }) => name === "unknownBlock")).toMatchObject([
      { text: "Category  Score" },
      { text: "screened   3.5" },
    ]);
    expect(own(bulletins[0]?.pick?.[0])).toMatchObject({ onset: "z" });
    expect(warnings).toContain('42: columns 102 to 102 hold "z", kept as foreign');
  });

  test("keeps the values of an arrival whose origin is not there with the pick", () => {
    const { bulletins, warnings } = readFile(changed(EXTENDED, "OrigID 12345678901", "OrigID 5"));
    const kept = { originID: "5", timeResidual: "-2", phase: "Sg" };
    expect(own(bulletins[0]?.pick?.[2])).toMatchObject(kept);
    expect(warnings).toContainEqual(expect.stringContaining("the origin 5 is not there"));
  });

  test("has a pick of its own for another phase of the same id", () => {
    const [twice] = readFile(changed(EXTENDED, "5003", "5002")).bulletins;
    expect(twice?.pick).toHaveLength(3);
    expect(own(twice?.pick?.[2])).toEqual({ arrivalID: "5002" });
    const named = " (#OrigID 12345678901)\n";
    const line = EXTENDED.split("\n").find((one) => one.startsWith("BFZ     1.20"));
    const [repeated] = readFile(changed(EXTENDED, named, `${named}${line}\n`)).bulletins;
    expect(repeated?.pick).toHaveLength(3);
    const ids = repeated?.origin?.[0]?.arrival?.map(({ pickID }) => pickID);
    expect(ids).toEqual(["5002", "5003"]);
  });

  test("keeps a mechanism that QuakeML cannot hold with its origin", () => {
    const { bulletins, errors } = readFile(changed(EXTENDED, " 1.200 120.00", "       120.00"));
    expect(errors).toEqual([]);
    expect(bulletins[0]?.focalMechanism?.[0]?.principalAxes).toBeUndefined();
    const mechanism = expect.stringContaining("#PRINAX");
    expect(own(bulletins[0]?.origin?.[1])).toMatchObject({ mechanism });
  });
});

type Origin = QuakemlObject<"Origin">;

function written(...bulletins: readonly Bulletin[]): string {
  const writer = createIsfWriter("a test");
  return writer.begin() + bulletins.map(writer.event).join("") + writer.end();
}

/** Without the counts at the end. */
const lines = (file: string) => file.slice(0, file.indexOf("\nSTOP\n"));
const counts = (file: string) => file.split("\nSTOP\n")[1]?.trim().split("\n") ?? [];

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
    const { bulletins } = readFile(EXTENDED);
    const file = written(...bulletins);
    expect(file.endsWith("\nSTOP\n")).toBe(true);
    expect(readFile(file).bulletins).toEqual(bulletins);
  });

  test("loses of ISF 1.0 what only phase information has, and counts it", () => {
    const file = written(...WHOLE);
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
    const comment = [{ text: "#PREFERRED by none" }];
    const magnitude = [
      { publicID: "smi:x.y/m1", mag: { value: 5.4 }, type: "Mww" },
      { publicID: "smi:x.y/m2", mag: { value: 6 }, type: "ML", comment },
    ];
    const unsaid = { ...smallBulletin(), magnitude };
    const file = written({ ...unsaid, preferredMagnitudeID: "smi:x.y/m2" });
    expect(file).toContain("ML     6.0\n (#PREFERRED)\n ( #PREFERRED by none)\n");
    expect(readFile(file).events).toMatchObject([{ magnitude: 6, magnitude_type: "ML" }]);
    delete (unsaid as { preferredMagnitudeID?: string }).preferredMagnitudeID;
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
      { numRuns: runs(200, 1 / 10) },
    );
  });

  test("of any plausible bulletin is written as it was when it is read", () => {
    fc.assert(
      fc.property(anyBulletin, (any) => {
        const first = written(plausibleBulletin(any));
        const { bulletins } = readFile(first);
        if (bulletins.length > 0) expect(lines(written(...bulletins))).toBe(lines(first));
        expect(readFile(written(...bulletins)).bulletins).toEqual(bulletins);
      }),
      { numRuns: runs(200, 1 / 10) },
    );
  });
});
