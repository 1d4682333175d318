import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { BulletinPart } from "#contracts/bulletin/parts.ts";
import type { BulletinFormat } from "#contracts/http/bulletins/bulletins.ts";
import type { QuakemlForm } from "#contracts/http/catalogue-export.ts";
import { compactEventId } from "#contracts/seismic-event/event-id.ts";
import { type BulletinPiece, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { selectedParts } from "#infra/formats/bulletin/parts.ts";
import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";
import { createIsfWriter } from "#infra/formats/isf/writer.ts";
import { writeBulletin } from "#infra/formats/quakeml/writing/bulletin-writer.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/writing/row-writer.ts";

/** One bulletin as a document of its own. */
export type DocumentTask = {
  /** As it is stored, or as it was made from its event's row. */
  readonly source: readonly Pick<BulletinPiece, "part" | "bytes">[] | Bulletin;
  /** Bytes of its JSON, 0 for one that was made from a row. */
  readonly bytes: number;
  /** The parts to answer; null for all. */
  readonly parts: readonly BulletinPart[] | null;
  readonly format: BulletinFormat;
  readonly form: QuakemlForm;
  readonly exported: ExportedCatalogue;
  readonly eventId: string;
};

/** The pieces of the document. @throws CorruptBulletin */
export function* writeDocument(task: DocumentTask): Generator<string> {
  const { source, parts, format, form, exported, eventId } = task;
  const isStored = Array.isArray(source);
  const whole = isStored ? unpackBulletin(source) : (source as Bulletin);
  const bulletin = parts === null ? whole : selectedParts(whole, new Set(parts));
  if (format === "json") {
    const told = { version: exported.version, source: isStored ? "bulletin" : "row" };
    yield `{"bulletin":${JSON.stringify(bulletin)},${JSON.stringify(told).slice(1)}`;
    return;
  }
  const [{ begin, end }, event] = writerOf();
  yield begin();
  yield event(bulletin);
  yield end();

  function writerOf() {
    if (format === "isf") {
      const writer = createIsfWriter(exported.catalogue.name);
      return [writer, writer.event] as const;
    }
    const given = { form, eventId: compactEventId(eventId) };
    return [createQuakemlWriter(exported), (of: Bulletin) => writeBulletin(of, given)] as const;
  }
}
