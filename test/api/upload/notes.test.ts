import { expect, test } from "vitest";
import type { UploadResult } from "#contracts/http/upload.ts";
import { sharedService } from "../../support/service.ts";
import { fileForm } from "../support/file-form.ts";

const service = sharedService();

const ROWS = 150;
const DAY_ONE = Date.UTC(2021, 0, 1);
const days = Array.from({ length: ROWS }, (_, i) => new Date(DAY_ONE + i * 86_400_000));

/** Files with a position that is out of range in every row, and one row that cannot be read. */
const FILES = {
  "table.csv": [
    "time,lat,lon,mag",
    ...days.map((day, i) => `${day.toISOString()},${91 + i},0,1`),
    "2021-01-01,1",
  ].join("\n"),
  "events.ndjson": [
    ...days.map((time, i) => JSON.stringify({ time, lat: 91 + i, lon: 0, mag: 1 })),
    '{"nothing": 1}',
  ].join("\n"),
  "events.xml": `<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2">
<eventParameters publicID="smi:x/p">
${days
  .map(
    (
      day,
      i,
    ) => `<event publicID="smi:x/${i}"><origin publicID="smi:x/o${i}"><time><value>${day.toISOString()}</value></time>
<latitude><value>${91 + i}</value></latitude><longitude><value>0</value></longitude></origin></event>`,
  )
  .join("\n")}
<event publicID="smi:x/none"></event></eventParameters></q:quakeml>`,
} as const;

test.each(Object.entries(FILES))(
  "notes of %s tell what is said of all rows, also of a kept upload",
  async (fileName, content) => {
    const editor = await service.loginAs("editor");
    for (const query of ["", "?keep=true"]) {
      const form = fileForm(content, { fileName });
      const { body } = await editor.send<UploadResult>("POST", `/api/upload${query}`, form);
      expect(body.warnings).toHaveLength(100);
      const { notes, warnings, errors, warningCount, errorCount } = body;
      const latitudes = notes.filter(({ message }) => /latitude|lat:/.test(message));
      expect(latitudes).toEqual([
        { message: warnings[0]?.message, count: ROWS, first: warnings[0]?.line },
      ]);
      expect(notes).toContainEqual({
        message: errors[0]?.message,
        count: 1,
        first: errors[0]?.line,
      });
      expect(notes.reduce((sum, { count }) => sum + count, 0)).toBe(warningCount + errorCount);
    }
  },
);
