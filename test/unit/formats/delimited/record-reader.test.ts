import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Delimiter } from "#infra/formats/delimited/record-reader.ts";
import { createRecordReader } from "#infra/formats/delimited/record-reader.ts";
import { runs } from "../../../support/runs.ts";

const DELIMITERS: readonly Delimiter[] = [",", "\t", ";", "|"];

/** A field as some program writes it: plain, padded or in quotes. */
const field = fc
  .tuple(
    fc
      .array(
        fc.constantFrom("a", "é", "日", "7", " ", '"', ",", ";", "|", "\t", "\n", "\r\n", "#"),
        {
          maxLength: 6,
        },
      )
      .map((marks) => marks.join("")),
    fc.constantFrom("", " ", "  "),
  )
  .map(([text, padding]) =>
    /["\r\n,;|\t#]/.test(text)
      ? { meant: text, written: `${padding}"${text.replaceAll('"', '""')}"${padding}` }
      : { meant: text.trim(), written: `${padding}${text}${padding}` },
  );

/** Rows that cost themselves alone. */
const faulty = fc.constantFrom('stray " quote', '"closed" before text', '""a', '"a" "b"');

const row = fc.oneof(
  { weight: 4, arbitrary: fc.array(field, { minLength: 2, maxLength: 5 }) },
  { weight: 1, arbitrary: faulty },
);

/** What stands between two rows. */
const gap = fc.constantFrom(
  "\n",
  "\r\n",
  "\r",
  "\n\n",
  "\r\n  \r\n",
  "\r\r",
  '\n# a "comment\n',
  "\r\n#\r\n\r\n",
);

type Told = readonly [line: number, fields: readonly string[] | null];

function readRecords(pieces: readonly string[], delimiter: Delimiter): Told[] {
  const told: Told[] = [];
  const reader = createRecordReader({ delimiter, quoting: true }, 1, {
    record: (fields, line) => told.push([line, fields]),
    fault: (line) => told.push([line, null]),
  });
  for (const piece of pieces) reader.write(piece);
  reader.end();
  return told;
}

const lineAt = (text: string) => text.split(/\r\n|\r|\n/).length;

describe("the record reader", () => {
  it("tells the fields and the lines of rows between faulty ones, wherever the text is cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(row, gap), { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...DELIMITERS),
        fc.nat(),
        (all, delimiter, cut) => {
          // A quote within a field is a character where tabs delimit.
          const rows = all.filter(([one]) => delimiter !== "\t" || typeof one !== "string");
          let text = "";
          const expected = rows.map(([fields, end]): Told => {
            const line = lineAt(text);
            // A first field keeps blank lines and comments apart from rows.
            const cells = typeof fields === "string" ? [fields] : fields.map((f) => f.written);
            text += ["x", ...cells].join(delimiter) + end;
            if (typeof fields === "string") return [line, null];
            return [line, ["x", ...fields.map((f) => f.meant)]];
          });
          const at = cut % (text.length + 1);
          expect(readRecords([text.slice(0, at), text.slice(at)], delimiter)).toEqual(expected);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it("takes quotes within a field for characters where tabs delimit", () => {
    const text = '["-2150 <= Year"]\t"a ""b"""\nRangi\t5" pipe';
    expect(readRecords([text], "\t")).toEqual([
      [1, ['["-2150 <= Year"]', 'a "b"']],
      [2, ["Rangi", '5" pipe']],
    ]);
  });

  it("keeps the empty texts that are in quotes where blanks delimit", () => {
    expect(readRecords(['a  "" \t"b  c"\n \t \n"x" y'], " ")).toEqual([
      [1, ["a", "", "b  c"]],
      [3, ["x", "y"]],
    ]);
  });
});
