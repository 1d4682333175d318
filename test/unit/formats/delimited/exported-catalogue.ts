import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";

/** A catalogue to be exported, of which only the name matters. */
export function exportedCatalogue(name: string): ExportedCatalogue {
  return {
    catalogue: {
      id: "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b",
      name,
    } as ExportedCatalogue["catalogue"],
    version: 1,
    exportedAt: "2024-01-01T00:00:00.000Z",
  };
}
