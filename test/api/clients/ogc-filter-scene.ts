import { beforeAll, expect } from "vitest";
import type { Link } from "#contracts/http/clients/ogc-features.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { jsonOf, textOf } from "../../support/cql2/encodings.ts";
import type { Comparison, Literal, Tree } from "../../support/cql2/tree.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

export type Queryable = {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: string[];
};
export type Features = {
  readonly features: readonly { readonly properties: { readonly source_id: string } }[];
  readonly numberMatched?: number;
  readonly links: readonly Link[];
};
type Query = Readonly<Record<string, string>>;

/** Five earthquakes with what the abstract tests ask for. */
export const EVENTS = [
  {
    ...{ source_id: "a", time: "2021-04-16T10:13:19Z", latitude: 49.92, longitude: 7.02 },
    ...{ depth: 3.14, magnitude: 1, event_type: "earthquake", region: "Bern", used_phase_count: 1 },
  },
  {
    ...{ source_id: "b", time: "2022-04-16T10:13:19Z", latitude: 45, longitude: 5, depth: 10 },
    ...{ magnitude: 4.5, event_type: "explosion", region: "Barcelona", agency_id: "foo" },
  },
  {
    ...{ source_id: "c", time: "2022-04-24T07:59:57Z", latitude: -45, longitude: -170 },
    ...{ magnitude: -0.5, region: "bern", author: "it's \\ me" },
  },
  {
    ...{ source_id: "d", time: "2022-12-31T23:59:59.5Z", latitude: 5, longitude: 10, depth: 600 },
    ...{ magnitude: null, region: "%_", magnitude_type: "Mw" },
  },
  { source_id: "e", time: "2023-01-01T00:00:00Z", latitude: -45, longitude: -110, magnitude: 7 },
];
export const ALL = ["a", "b", "c", "d", "e"];

/** A public catalogue of events, by default those above, and what filters select of it. */
export function filterScene(events: readonly unknown[] = EVENTS) {
  const service = sharedService();
  let guest: ApiClient;
  let id = "";
  let queryables: Readonly<Record<string, Queryable>> = {};

  beforeAll(async () => {
    guest = createApiClient(service.url);
    const editor = await service.loginAs("editor");
    ({ id } = await createCatalogue(editor, { events, is_public: true }));
    const { body } = await guest.get<{ properties: Record<string, Queryable> }>(
      `/api/ogc/collections/${id}/queryables`,
    );
    queryables = body.properties;
  });

  const itemsPath = (query: Query) =>
    `/api/ogc/collections/${id}/items?${new URLSearchParams(query)}`;

  async function idsFor(query: Query): Promise<string[]> {
    const { status, body, headers } = await guest.get<Features>(itemsPath(query));
    expect([query, status], JSON.stringify(body)).toEqual([query, 200]);
    expect(headers.get("content-type")).toMatch(/^application\/geo\+json/);
    expect(body.numberMatched).toBe(body.features.length);
    return body.features.map(({ properties }) => properties.source_id).sort();
  }

  return {
    get: <T>(path: string, headers?: Record<string, string>) => guest.get<T>(path, headers),
    collection: () => `/api/ogc/collections/${id}`,
    queryables: () => queryables,
    itemsPath,
    idsFor,
    /** Who satisfies a filter, in both encodings alike. */
    async selected(tree: Tree, taste = () => true): Promise<string[]> {
      const found = await idsFor({ filter: textOf(tree, taste) });
      const json = JSON.stringify(jsonOf(tree));
      expect(await idsFor({ filter: json, "filter-lang": "cql2-json" })).toEqual(found);
      return found;
    },
    async refused(query: Query): Promise<void> {
      expectRefusal(await guest.get(itemsPath(query)), "VALIDATION_ERROR");
    },
    /** Queryables that are one value, with the literals of /conf/basic-cql2/comparison. */
    scalars: () =>
      Object.entries(queryables).flatMap(([name, queryable]) => {
        const literal = literalFor(queryable);
        return literal === null ? [] : [{ name, literal }];
      }),
  };
}

export const compare = (property: string, operator: Comparison, literal: Literal): Tree => ({
  ...{ kind: "compare", property, operator, literal, isTurned: false },
});

function literalFor({ type, format, enum: values }: Queryable): Literal | null {
  if (format === "date-time") return { timestamp: "2022-04-14T14:48:46Z" };
  if (type === "string") return values?.[0] ?? "foo";
  if (type === "integer") return 1;
  return type === "number" ? 3.14 : null;
}
