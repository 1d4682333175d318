import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { EventChange } from "#contracts/http/events.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../api-client.ts";
import { createCatalogue, seismicEvent } from "./catalogue.ts";

type Headers = Readonly<Record<string, string>>;
type Changed = { readonly event: SeismicEvent; readonly version: number };
export type BulletinAnswer = {
  readonly bulletin: Bulletin;
  readonly version: number;
  readonly source: string;
};

/** The events of a catalogue, the oldest first unless the query says otherwise. */
export async function listEvents<T = SeismicEvent>(
  client: ApiClient,
  id: string,
  query = "orderBy=time-asc",
): Promise<T[]> {
  const path = `/api/catalogues/${id}/events/filtered?${query}`;
  return (await client.get<{ events: T[] }>(path)).body.events;
}

/** The oldest event of a new catalogue, by default the only one with the id `a`, and the calls about it. */
export async function oneEvent(client: ApiClient, ...submitted: readonly object[]) {
  const events = submitted.length > 0 ? submitted : [seismicEvent({ id: "a" })];
  const { id } = await createCatalogue(client, { events });
  const catalogue = `/api/catalogues/${id}`;
  const [listed] = await listEvents(client, id);
  const path = `${catalogue}/events/${listed?.id}`;
  const read = async () => (await client.get<Changed>(path)).body.event;
  return {
    id,
    catalogue,
    events: `${catalogue}/events`,
    path,
    event: await read(),
    read,
    list: () => listEvents(client, id),
    bulletin: async (query = "") =>
      (await client.get<BulletinAnswer>(`${path}/bulletin${query}`)).body,
    history: async () =>
      (await client.get<{ history: EventChange[] }>(`${path}/history`)).body.history,
    add: <T>(body: unknown, headers?: Headers) =>
      client.send<T>("POST", `${catalogue}/events`, body, headers),
    change: (patch: unknown, headers?: Headers) =>
      client.send<Changed>("PATCH", path, patch, headers),
    /** Below the event's address. */
    send: <T = Changed>(
      method: "POST" | "PUT" | "PATCH" | "DELETE",
      below: string,
      body?: unknown,
      headers?: Headers,
    ) => client.send<T>(method, `${path}${below}`, body, headers),
  };
}
