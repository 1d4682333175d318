import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { guardFormula, unguardFormula } from "#contracts/text.ts";
import { createCsvWriter } from "#infra/formats/delimited/csv.ts";
import { createFdsnTextWriter } from "#infra/formats/delimited/fdsn-text.ts";
import type { ExportedCatalogue, FormatWriter } from "#infra/formats/format-writer.ts";
import { exportRowOf } from "../../support/export-row.ts";
import { readTable } from "../../support/formats/readers.ts";
import { runs } from "../../support/runs.ts";

/** A catalogue to be exported, of which only the name matters. */
const exported = (name: string) => ({ catalogue: { name } }) as ExportedCatalogue;

const EVENT: SeismicEvent = {
  id: "1.0",
  ...emptyRecord({ time: "2011-03-11T05:46:24.120000Z", latitude: 38.297, longitude: 142.373 }),
  depth: 1e-7,
  magnitude: 9.1,
};

function write(writer: FormatWriter, event: Partial<SeismicEvent>): string {
  return writer.begin() + writer.row(exportRowOf({ ...EVENT, ...event })) + writer.end();
}

test("CSV has a header of canonical names and records that end with CRLF", () => {
  expect(write(createCsvWriter(), {})).toBe(
    "id,time,latitude,longitude,depth,magnitude,magnitude_type,region,source_id,event_type," +
      "event_type_certainty,evaluation_mode,evaluation_status,used_station_count,used_phase_count," +
      "azimuthal_gap,standard_error,minimum_distance,magnitude_uncertainty,magnitude_station_count," +
      "depth_uncertainty,horizontal_uncertainty,time_uncertainty,latitude_uncertainty," +
      "longitude_uncertainty,depth_type,agency_id,author,focal_mechanisms,extra,source_events\r\n" +
      "1.0,2011-03-11T05:46:24.120000Z,38.297,142.373,1e-7,9.1,,,,,,,,,,,,,,,,,,,,,,,,,\r\n",
  );
});

test("texts in CSV are quoted where they have to be, and guarded where they begin as formulas", () => {
  const same = ["Off Honshu", "1-1", "'quoted'"];
  const guarded = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", " =1", "\u00a0\u2003@x", "\ufeff-1"];
  guarded.push("\u2028x", "\u0085x", "＝1+1", "＋1", " －1", "＠x", "' =1", "'＝1", "'=1+1");
  const texts: readonly (readonly [text: string, field: string])[] = [
    ...same.map((text) => [text, text] as const),
    ...guarded.map((text) => [text, `'${text}`] as const),
    ["Tarapaca, Chile", '"Tarapaca, Chile"'],
    ['the "big" one', '"the ""big"" one"'],
    ["two\nlines", '"two\nlines"'],
    [" padded", '" padded"'],
    ["padded\u00a0", '"padded\u00a0"'],
    ["\rx", '"\'\rx"'],
    ["\nx", '"\'\nx"'],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ];
  for (const [region, field] of texts) {
    const file = write(createCsvWriter(), { region });
    expect(file, region).toContain(`,9.1,,${field},,`);
    expect(readTable(file).rows).toMatchObject([{ region }]);
  }
});

describe("FDSN text", () => {
  const header =
    "#EventID|Time|Latitude|Longitude|Depth/km|Author|Catalog|Contributor|ContributorID|MagType|Magnitude|MagAuthor|EventLocationName|EventType\n";

  test("FDSN text has 14 columns, times without a zone, and nothing for what is not known", () => {
    const event = {
      source_id: "2011p1",
      author: "scolv@user",
      agency_id: "WEL",
      magnitude_type: "Mw",
      region: "Off | Honshu,\r\nJapan ",
      event_type: "earthquake",
    } as const;
    expect(write(createFdsnTextWriter(exported("Main|one")), event)).toBe(
      `${header}2011p1|2011-03-11T05:46:24.120000|38.297|142.373|1e-7|scolv@user|Main one|WEL|2011p1|Mw|9.1||Off   Honshu, Japan|earthquake\n`,
    );
    expect(write(createFdsnTextWriter(exported("C")), { depth: null, magnitude: null })).toBe(
      `${header}1.0|2011-03-11T05:46:24.120000|38.297|142.373|||C|||||||\n`,
    );
  });

  test("FDSN text is what its reader reads", () => {
    const event = { source_id: "007", region: 'The "big" one', event_type: "crash" } as const;
    expect(readTable(write(createFdsnTextWriter(exported("C")), event))).toMatchObject({
      format: "txt",
      errors: [],
      warnings: [],
      rows: [
        {
          EventID: "007",
          Time: "2011-03-11T05:46:24.120000",
          Magnitude: 9.1,
          EventLocationName: 'The "big" one',
          EventType: "crash",
        },
      ],
    });
  });
});

test("no text that is written begins as a formula, and the guard is taken off exactly", () => {
  const leading = [..."'=+-@|＝＋－＠｜\t\r\n \u3000"];
  /** Nobody sees these: zero-width, soft hyphen, byte order mark, filler, joiner, control, braille blank. */
  const invisible = [..."\u200b\u200d\u2060\u00ad\ufeff\u115f\u034f\u0000\u2800\u{e0020}"];
  const anyText = fc
    .tuple(
      fc.array(fc.constantFrom(...leading, ...invisible), { maxLength: 5 }),
      fc.string({ unit: "binary" }),
    )
    .map(([marks, rest]) => marks.join("") + rest);
  fc.assert(
    fc.property(anyText, (text) => {
      const guarded = guardFormula(text);
      expect(unguardFormula(guarded)).toBe(text);
      const seen = guarded.replaceAll(/[\s\p{Cc}\p{Cf}\p{DI}\u2800]/gu, "");
      const first = seen.charAt(0);
      expect("=+-@|＝＋－＠｜".includes(first) && first !== "").toBe(false);
    }),
    { numRuns: runs(20_000, 1 / 20) },
  );
});
