import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createArrowWriter } from "#infra/formats/columnar/arrow.ts";
import {
  type CreateColumnarWriter,
  catalogueMetadata,
  EVENTS,
} from "#infra/formats/columnar/batch.ts";
import { createParquetWriter } from "#infra/formats/columnar/parquet.ts";
import { createBinaryRowReader } from "#infra/postgres/copy/copied.ts";
import { EVENT_COLUMN_COUNT } from "#projections/read/copied-rows.ts";
import { EXPORTED } from "../formats/exported.ts";
import { copiedRows } from "./copied-rows.ts";

export const writeParquet = writing(createParquetWriter);
export const writeArrow = writing(createArrowWriter);

/** The file of some events, in batches of at most `batchRows`, by default the writer's own. */
function writing(createWriter: CreateColumnarWriter) {
  return async (events: readonly SeismicEvent[], batchRows?: number): Promise<Buffer> => {
    const writer = createWriter(catalogueMetadata(EXPORTED), events.length, EVENTS.layout);
    const batch = EVENTS.createBatch(batchRows ?? writer.batchRows);
    const pieces = [writer.begin()];
    const flush = () => {
      pieces.push(writer.batch(batch));
      batch.clear();
    };
    const reader = createBinaryRowReader(EVENT_COLUMN_COUNT);
    reader.read(await copiedRows(events), (row) => {
      batch.add(row);
      if (batch.isFull()) flush();
    });
    reader.end();
    if (batch.length > 0) flush();
    return Buffer.concat([...pieces, writer.end()]);
  };
}
