import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ANSWERED_FIELDS, isTextField } from "#infra/formats/json/json-text.ts";
import type { TextRow } from "#infra/postgres/text-copy.ts";
import { createCopiedEventWriter } from "#projections/queries/copied-event-writer.ts";
import { createEventWriter, type WrittenEvents } from "#projections/queries/event-writer.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** As PostgreSQL writes a line of COPY (manual, COPY, "Text Format"). */
function lineOf(row: TextRow): Buffer {
  const fields = row.map((field) =>
    field === null ? "\\N" : Array.from(field, (c) => ESCAPES[c] ?? c).join(""),
  );
  return Buffer.from(`${fields.join("\t")}\n`);
}

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
);
const plainTexts = fc.constantFrom("Kaikōura", "reviewed", "地震", "5 km NW of Tōkyō", "");
const texts = fc.oneof(
  plainTexts,
  fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
  fc.constantFrom('"', "\\", "\\N", "\u0001", "\t\n", "\u2028"),
);
const structures = fc.oneof(
  fc.constant('{"depth_km": 12.5, "note": "plain"}'),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);
const known = (field: (typeof ANSWERED_FIELDS)[number], isPlain: boolean) => {
  if (isTextField(field)) return isPlain ? plainTexts : texts;
  return field === "extra" || field === "focal_mechanisms" ? structures : numbers;
};

/** PostgreSQL's text of a time leaves zeros at the end out. */
const times = fc
  .tuple(fc.date({ noInvalidDate: true }), fc.nat(999_999), fc.integer({ min: 0, max: 6 }))
  .map(([date, micros, digits]) => {
    const year = String(((date.getUTCFullYear() % 9_999) + 9_999) % 9_999 || 1).padStart(4, "0");
    const rest = date.toISOString().slice(-20, -5).replace("T", " ");
    const fraction = String(micros).padStart(6, "0").slice(0, digits).replace(/0+$/, "");
    return { time: `${year}${rest}${fraction && `.${fraction}`}+00`, digits: String(digits) };
  });

const rows: fc.Arbitrary<TextRow> = fc
  .boolean()
  .chain((isPlain) =>
    fc
      .tuple(
        fc.uuid(),
        times,
        ...ANSWERED_FIELDS.slice(2).map((field) => fc.option(known(field, isPlain))),
      )
      .map(([id, { time, digits }, ...values]) => [id, time, ...values, digits]),
  );

function textOf({ json, ...rest }: WrittenEvents) {
  return { ...rest, events: `[${json.join(",")}]` };
}

describe("events written from lines of COPY", () => {
  test("are those that are written from the texts of their fields, byte by byte", () => {
    fc.assert(
      fc.property(
        fc.array(rows, { maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (all, limit, reversed) => {
          const [copied, texts] = [
            createCopiedEventWriter(limit, reversed),
            createEventWriter(limit, reversed),
          ];
          for (const row of all) {
            const line = lineOf(row);
            copied.add(line);
            // The driver writes over it.
            line.fill(0);
            texts.add([...row]);
          }
          const written = textOf(copied.finish());
          expect(written).toEqual(textOf(texts.finish()));
          expect(JSON.parse(written.events)).toHaveLength(written.count);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("go on where one is larger than what is taken at a time", () => {
    const row = (region: string): TextRow =>
      ["5f0c1d7e-0000-4000-8000-000000000001", "2016-11-13 11:02:56+00"].concat(
        ANSWERED_FIELDS.slice(2).map((field) => (field === "region" ? region : "1")),
        "0",
      );
    const regions = ["a", "b".repeat(200_000), "\u0001".repeat(50_000), "c"];
    const writer = createCopiedEventWriter(10, false);
    for (const region of regions) writer.add(lineOf(row(region)));
    const events = JSON.parse(textOf(writer.finish()).events);
    expect(events.map((event: { region: string }) => event.region)).toEqual(regions);
  });
});
