import type { BulletinWriter, ExportedCatalogue } from "#infra/formats/format-writer.ts";
import { createIsfWriter } from "#infra/formats/isf/writer.ts";
import { createTextCopyReader } from "#infra/postgres/copy/copied-rows.ts";
import { createEventBulletinReader } from "#projections/read/bulletins.ts";
import {
  type BulletinFormat,
  type BulletinTask,
  ExportInterrupted,
  type FileWriter,
} from "./file-writer.ts";

/** Makes a file of bulletins from rows of events with theirs, copied as text. */
export function createBulletinFileWriter({ format, exported, count }: BulletinTask): FileWriter {
  const reader = createTextCopyReader();
  const read = createEventBulletinReader();
  const writer = BULLETIN_WRITERS[format](exported);
  let begin = writer.begin();
  let seen = 0;
  return {
    take(bytes) {
      const pieces = [begin];
      begin = "";
      for (const row of reader.read(bytes)) {
        pieces.push(writer.event(read(row).bulletin));
        seen += 1;
      }
      return pieces;
    },
    end() {
      reader.end();
      if (seen !== count) throw new ExportInterrupted(seen, count);
      return [begin + writer.end()];
    },
  };
}

const BULLETIN_WRITERS: Readonly<
  Record<BulletinFormat, (exported: ExportedCatalogue) => BulletinWriter>
> = {
  isf: ({ catalogue, version }) => createIsfWriter(`${catalogue.name}, version ${version}`),
};
