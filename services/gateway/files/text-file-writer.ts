import { createCsvWriter } from "#infra/formats/delimited/csv.ts";
import { createFdsnTextWriter } from "#infra/formats/delimited/fdsn-text.ts";
import { FACADE_FORMATS } from "#infra/formats/facade/facade-formats.ts";
import { createKmlWriter } from "#infra/formats/facade/kml.ts";
import type { CreateFormatWriter, FormatWriter } from "#infra/formats/format-writer.ts";
import { createGeojsonWriter, createJsonWriter } from "#infra/formats/json/writer.ts";
import { createWholeQuakemlWriter } from "#infra/formats/quakeml/writing/bulletin-writer.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/writing/row-writer.ts";
import { createTextCopyReader } from "#infra/postgres/copy/copied-rows.ts";
import { readCopiedBulletin, toExportRow } from "#projections/read/copied-rows.ts";
import {
  ExportInterrupted,
  type FacadeTask,
  type FileWriter,
  hasBulletins,
  type TextTask,
} from "./file-writer.ts";

/**
 * Events per piece, and characters after which one of whole events ends. Larger strings live in V8's old space, and
 * joining very many parts at the end would cost the garbage collector more than everything else.
 */
const IN_A_PIECE = 64;
/** Rows stay below it: their pieces are as long as they were. */
export const LONG_PIECE = 96 * 1024;

/** Makes the file from rows copied as text. */
export function createTextFileWriter(task: TextTask | FacadeTask): FileWriter {
  const { count } = task;
  const reader = createTextCopyReader();
  const writer = formatWriterOf(task);
  const withBulletins = hasBulletins(task);
  let begin = writer.begin();
  let seen = 0;
  return {
    take(bytes) {
      const pieces = [begin];
      begin = "";
      let text = "";
      let open = 0;
      for (const row of reader.read(bytes)) {
        const bulletin = withBulletins ? readCopiedBulletin(row.pop() ?? null) : null;
        text += writer.row(toExportRow(row), bulletin);
        seen += 1;
        open += 1;
        if (open < IN_A_PIECE && text.length < LONG_PIECE) continue;
        pieces.push(text);
        text = "";
        open = 0;
      }
      pieces.push(text);
      return pieces;
    },
    end() {
      reader.end();
      const isWhole = count === null ? seen > 0 : seen === count;
      if (!isWhole) throw new ExportInterrupted(seen, count);
      return [begin + writer.end()];
    },
  };
}

function formatWriterOf(task: TextTask | FacadeTask): FormatWriter {
  if ("facade" in task) return FACADE_FORMATS[task.facade].createWriter(task.answer);
  const { format, exported, form } = task;
  return format === "quakeml" && form !== undefined
    ? createWholeQuakemlWriter(exported, form)
    : FORMAT_WRITERS[format](exported);
}

export const FORMAT_WRITERS: Readonly<Record<TextTask["format"], CreateFormatWriter>> = {
  csv: createCsvWriter,
  json: createJsonWriter,
  geojson: createGeojsonWriter,
  kml: createKmlWriter,
  quakeml: createQuakemlWriter,
  text: createFdsnTextWriter,
};
