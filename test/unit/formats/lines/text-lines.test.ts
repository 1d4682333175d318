import fc from "fast-check";
import { expect, test } from "vitest";
import { createTextLines, MAX_LINE_LENGTH } from "#infra/formats/lines/text-lines.ts";

function linesOf(pieces: readonly string[]) {
  const lines: { text: string; number: number; isClosed: boolean }[] = [];
  const reader = createTextLines((line, isClosed) => lines.push({ ...line, isClosed }));
  for (const piece of pieces) reader.write(piece);
  reader.end();
  return lines;
}

test("lines end with LF, CRLF or CR, whatever the pieces in which they come", () => {
  const ends = fc.constantFrom("\n", "\r\n", "\r");
  const body = fc.array(fc.tuple(fc.stringMatching(/^[a ]{0,4}$/), ends), { maxLength: 12 });
  fc.assert(
    fc.property(
      body,
      fc.stringMatching(/^[ab]{0,3}$/),
      fc.array(fc.nat(80)),
      (parts, rest, cuts) => {
        // A CR and a LF of two empty lines would be one line end.
        const ended = parts.map(([text, end]) =>
          end === "\r" ? `${text}x${end}` : `y${text}${end}`,
        );
        const whole = ended.join("") + rest;
        const at = [...cuts.map((cut) => Math.min(cut, whole.length)), 0, whole.length];
        at.sort((a, b) => a - b);
        const pieces = at.slice(1).map((end, i) => whole.slice(at[i], end));
        const texts = [
          ...ended.map((text) => text.replace(/[\r\n]+$/, "")),
          ...(rest ? [rest] : []),
        ];
        expect(linesOf(pieces)).toEqual(
          texts.map((text, i) => ({ text, number: i + 1, isClosed: i < ended.length })),
        );
      },
    ),
  );
});

test("a line without end is kept to a limit", () => {
  const [line] = linesOf(Array.from({ length: 4 }, () => "x".repeat(MAX_LINE_LENGTH / 2)));
  expect(line?.text).toHaveLength(MAX_LINE_LENGTH);
});
