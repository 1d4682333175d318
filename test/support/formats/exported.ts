import { NO_BOUNDS } from "#contracts/events/catalogues.ts";
import type {
  CreateFormatWriter,
  ExportedCatalogue,
  ExportRow,
} from "#infra/formats/format-writer.ts";

/** A catalogue on its way out, for the head of a file. */
export const exportedCatalogue = (name: string): ExportedCatalogue => ({
  version: 3,
  exportedAt: "2024-05-07T08:24:09.853Z",
  catalogue: {
    id: "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b",
    name,
    created_at: "2021-03-04T00:00:00.000Z",
    updated_at: "2021-03-05T00:00:00.000Z",
    status: "active",
    event_count: 2,
    ...NO_BOUNDS,
    bbox: null,
    is_public: false,
    public_from: null,
    version: 4,
    created_by: "5b0d9d0e-2f5e-4a43-9a0b-0d7e5a3f2c11",
    metadata: null,
    merge_config: null,
    source_catalogues: null,
  },
});

/** Its name is as awkward as names may be. */
export const EXPORTED = exportedCatalogue('Demo <"events":[&]> κ');

/** The whole file of some rows. */
export function exportRows(createWriter: CreateFormatWriter, rows: readonly ExportRow[]): string {
  const writer = createWriter(EXPORTED);
  return [writer.begin(), ...rows.map((row) => writer.row(row)), writer.end()].join("");
}
