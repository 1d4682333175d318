import { NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";

/** A catalogue on its way out, for the head of a file. */
export function exportedCatalogue(name: string): ExportedCatalogue {
  return {
    version: 3,
    exportedAt: "2024-05-07T08:24:09.853Z",
    catalogue: {
      id: "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b",
      name,
      created_at: "2024-05-07T08:00:00Z",
      updated_at: "2024-05-07T08:00:00Z",
      status: "active",
      event_count: 1,
      ...NO_BOUNDS,
      bbox: null,
      is_public: false,
      public_from: null,
      version: 3,
      created_by: "someone",
      metadata: null,
      merge_config: null,
      source_catalogues: null,
    },
  };
}
