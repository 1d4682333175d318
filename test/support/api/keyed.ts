import { randomUUID } from "node:crypto";
import type { ApiAnswer, ApiClient } from "../api-client.ts";
import { type CreatedCatalogue, seismicEvent } from "./catalogue.ts";

/** The header of a write that is done once. */
export function keyed(key: string = randomUUID()): { "idempotency-key": string } {
  return { "idempotency-key": key };
}

export function catalogueForm(name = "by key"): object {
  return { name, events: [seismicEvent()] };
}

export function createKeyed(
  client: ApiClient,
  body: unknown,
  headers: Record<string, string>,
): Promise<ApiAnswer<CreatedCatalogue>> {
  return client.send<CreatedCatalogue>("POST", "/api/catalogues", body, headers);
}

/** How many catalogues have this name. */
export async function countNamed(client: ApiClient, name: string): Promise<number> {
  const { body } = await client.get<{ total: number }>(`/api/catalogues?search=${name}`);
  return body.total;
}
