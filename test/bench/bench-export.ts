import type { ExportFormat } from "#contracts/http/catalogue-export.ts";
import type { ApiClient } from "../support/api-client.ts";

/**
 * Exports a catalogue and reads it to the end, keeping nothing. It asks for the file as it is: its
 * yardsticks are not compressed either.
 * @returns its bytes
 */
export async function exportAll(
  client: ApiClient,
  id: string,
  format: ExportFormat,
  count: number,
): Promise<number> {
  const response = await client.stream(`/api/catalogues/${id}/export?format=${format}`, {
    "accept-encoding": "identity",
  });
  const announced = Number(response.headers.get("x-export-event-count"));
  if (response.status !== 200 || announced !== count) {
    throw new Error(`exporting answered ${response.status}, ${announced} events of ${count}`);
  }
  let bytes = 0;
  for await (const piece of response.body ?? []) bytes += piece.length;
  if (bytes < count) throw new Error(`only ${bytes} bytes came`);
  return bytes;
}
