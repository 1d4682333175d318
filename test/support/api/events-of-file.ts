import type { BulletinSummary } from "#contracts/bulletin/counts.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { UploadResult } from "#contracts/http/uploads.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../api-client.ts";
import type { CreatedCatalogue } from "./catalogue.ts";
import { fileForm } from "./file-form.ts";
import { listEvents } from "./one-event.ts";

export type WholeEvent = SeismicEvent & {
  readonly bulletin: Bulletin;
  readonly bulletin_counts: BulletinSummary["counts"];
};

export type Reading = {
  readonly origin_id: string;
  readonly phase: string | null;
  readonly station: string | null;
  readonly time: string | null;
  readonly distance: number | null;
  readonly residual: number | null;
};

export async function keepFile(client: ApiClient, content: string, fileName: string) {
  const form = fileForm(content, { fileName });
  const { status, body } = await client.send<UploadResult>("POST", "/api/upload?keep=true", form);
  if (status !== 200) throw new Error(`${fileName}: ${JSON.stringify(body)}`);
  return body;
}

/** A catalogue of a file's events. @throws Error with the answer where the file makes none */
export async function catalogueOfFile(client: ApiClient, content: string, fileName: string) {
  const upload = await keepFile(client, content, fileName);
  const { status, body } = await client.send<CreatedCatalogue>("POST", "/api/catalogues", {
    name: fileName,
    uploadId: upload.uploadId,
  });
  if (status !== 201) throw new Error(`${fileName}: ${JSON.stringify(body)}`);
  return { id: body.id, upload, created: body, events: await wholeEvents(client, body.id) };
}

/** The events of a catalogue with their bulletins, in the order of time. */
export const wholeEvents = (client: ApiClient, id: string): Promise<WholeEvent[]> =>
  listEvents<WholeEvent>(client, id, "include=bulletin&orderBy=time-asc");

/** The arrivals of an event with their picks, as the API lists them. */
export async function arrivalsOf(client: ApiClient, id: string, eventId: string) {
  const path = `/api/catalogues/${id}/events/${eventId}/arrivals`;
  return (await client.get<{ rows: Reading[] }>(path)).body.rows;
}
