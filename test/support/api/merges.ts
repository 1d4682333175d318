import type { MergeResult } from "#contracts/http/merges.ts";
import type { MergeConfig } from "#contracts/merges/config.ts";
import type { DecidedEvent } from "#contracts/merges/decisions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../api-client.ts";
import type { TestService } from "../service.ts";
import { newAccount } from "./accounts.ts";
import { createCatalogue } from "./catalogue.ts";

export type Source = { readonly id: string; readonly source: string };

/** Without what a request may leave out. */
export const CONFIG: Omit<MergeConfig, "linkage"> = {
  timeThreshold: 16,
  distanceThreshold: 50,
  mergeStrategy: "quality",
  priority: "",
};

/** A request as clients send it, with what they believe of the sources. */
export function mergeForm(sources: readonly Source[], config: Partial<MergeConfig> = {}) {
  return {
    name: "merged",
    sourceCatalogues: sources.map((source) => ({ ...source, name: "believed", events: 7 })),
    config: { ...CONFIG, ...config },
  };
}

/** A catalogue of the given events, to be merged under the given label. */
export async function sourceOf(
  client: ApiClient,
  source: string,
  events: readonly unknown[],
): Promise<Source> {
  const { id } = await createCatalogue(client, { name: `catalogue of ${source}`, events });
  return { id, source };
}

export async function merge(
  client: ApiClient,
  sources: readonly Source[],
  config: Partial<MergeConfig> = {},
): Promise<MergeResult> {
  const answer = await client.send<MergeResult>("POST", "/api/merge", mergeForm(sources, config));
  if (answer.status !== 200) throw new Error(`merging answered ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** What a preview shows of an event beside its provenance. */
export function placeOf({ time, latitude, longitude, depth, magnitude }: SeismicEvent) {
  return { time, latitude, longitude, depth, magnitude };
}

/** All events of a catalogue with their provenance, in the order of time. */
export async function exportedEvents(client: ApiClient, id: string): Promise<SeismicEvent[]> {
  const { body } = await client.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${id}/export?format=json&orderBy=time-asc`,
  );
  return body.events;
}

/** The events of a catalogue as decisions name them, in the order of time. */
export async function decidedEvents(client: ApiClient, id: string): Promise<DecidedEvent[]> {
  const events = await exportedEvents(client, id);
  return events.map((event) => ({ catalogue_id: id, event_id: event.id }));
}

export const decisionsPath = (id: string) => `/api/catalogues/${id}/merge/decisions`;

export type Person = { readonly id: string; readonly client: ApiClient };

/** Somebody of the role who is signed in. */
export async function person(
  service: TestService,
  role: "viewer" | "editor" = "editor",
): Promise<Person> {
  const { id, signIn } = await newAccount(service, role);
  return { id, client: (await signIn()).client };
}
