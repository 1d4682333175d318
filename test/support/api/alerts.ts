import { expect } from "vitest";
import type { Alert, AlertDelivery } from "#contracts/http/alerts.ts";
import type { ApiClient } from "../api-client.ts";
import { type CatalogueForm, createCatalogue, seismicEvent } from "./catalogue.ts";

/** An event of a moment ago. */
export const recentEvent = (parts: Readonly<Record<string, unknown>> = {}) =>
  seismicEvent({ time: new Date(Date.now() - 60_000).toISOString(), magnitude: 5.2, ...parts });

type Made = { readonly alert: Alert; readonly secret: string };

/** A catalogue with an old event, an alert of it that is sent to a path of its own, and the calls about both. */
export async function alertOfCatalogue(
  client: ApiClient,
  receiver: string,
  form: object = {},
  catalogue: CatalogueForm = {},
) {
  const { id } = await createCatalogue(client, catalogue);
  const path = `/${id}`;
  const to = { kind: "webhook", url: `${receiver}${path}` };
  const body = { name: "Mine", catalogues: [id], to, ...form };
  const made = await client.send<Made>("POST", "/api/alerts", body);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { alert, secret } = made.body;
  const of = `/api/catalogues/${id}`;
  const address = `/api/alerts/${alert.id}`;
  return {
    id,
    path,
    alert,
    secret,
    address,
    of,
    add: async (...events: unknown[]) =>
      expect((await client.send("POST", `${of}/events`, { events })).status).toBe(200),
    change: async (event: string, parts: object) =>
      expect((await client.send("PATCH", `${of}/events/${event}`, parts)).status).toBe(200),
    remove: async (event: string) =>
      expect((await client.send("DELETE", `${of}/events/${event}`)).status).toBe(200),
    /** The id of the newest event. */
    async newest(): Promise<string> {
      const { body: listed } = await client.get<{ events: { id: string }[] }>(
        `${of}/events/filtered`,
      );
      return listed.events[0]?.id ?? "";
    },
    async deliveries(query = ""): Promise<AlertDelivery[]> {
      const answer = await client.get<{ deliveries: AlertDelivery[] }>(
        `${address}/deliveries${query}`,
      );
      return answer.body.deliveries;
    },
    async now(): Promise<Alert> {
      return (await client.get<{ alert: Alert }>(address)).body.alert;
    },
  };
}
