import type { ExportFormat } from "#contracts/http/exports.ts";
import type { UploadResult } from "#contracts/http/uploads.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { fileForm } from "../../support/api/file-form.ts";
import type { ApiClient } from "../../support/api-client.ts";

export async function exportFile(
  client: ApiClient,
  id: string,
  format: ExportFormat,
  further = "",
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await client.stream(`/api/catalogues/${id}/export?format=${format}${further}`);
  if (response.status !== 200) throw new Error(`exporting answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Rows come with their bulletins. @throws Error with the answer when the file is not read */
export async function uploadFile(
  client: ApiClient,
  content: Uint8Array<ArrayBuffer>,
  fileName: string,
): Promise<UploadResult> {
  const answer = await client.send<UploadResult>(
    "POST",
    "/api/upload?include=bulletin",
    fileForm(content, { fileName }),
  );
  if (answer.status !== 200) throw new Error(`${fileName}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** What `/api/upload` answered, posted as it is; the new catalogue's id. */
export async function createFrom(client: ApiClient, { data }: UploadResult): Promise<string> {
  const { id, validationReport } = await createCatalogue(client, { events: data });
  if (validationReport.failedValidation > 0) {
    throw new Error(JSON.stringify(validationReport.invalidEvents));
  }
  return id;
}

/** All events of a catalogue without our ids, in an order that does not depend on them. */
export async function eventsOf(client: ApiClient, id: string): Promise<Omit<SeismicEvent, "id">[]> {
  const text = new TextDecoder().decode(await exportFile(client, id, "json"));
  const { events } = JSON.parse(text) as { events: SeismicEvent[] };
  const bare = events.map(({ id: _, ...event }) => event);
  return inOrder(bare);
}

/** Events in the order of their JSON. */
export function inOrder<T>(events: readonly T[]): T[] {
  return events.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
