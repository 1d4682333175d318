import { NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import type {
  CreateFormatWriter,
  ExportedCatalogue,
  ExportRow,
} from "#infra/formats/format-writer.ts";

/** The head of an export; its name is as awkward as names may be. */
export const EXPORTED: ExportedCatalogue = {
  catalogue: {
    id: "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b",
    name: 'Demo <"events":[&]> κ',
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
  version: 3,
  exportedAt: "2021-03-06T00:00:00.000Z",
};

/** The whole file of some rows. */
export function exportRows(createWriter: CreateFormatWriter, rows: readonly ExportRow[]): string {
  const writer = createWriter(EXPORTED);
  return [writer.begin(), ...rows.map((row) => writer.row(row)), writer.end()].join("");
}
