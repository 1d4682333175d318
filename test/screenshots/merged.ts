import type { ApiClient } from "../support/api-client.ts";

/** An event as a list has it. */
export type Listed = {
  readonly id: string;
  readonly time: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly depth: number;
  readonly magnitude: number;
};

/** A little later and to the side, better known in some ways and worse in others. */
export function otherSolution(
  { time, latitude, longitude, depth, magnitude }: Listed,
  index: number,
) {
  return {
    source_id: `other-${index}`,
    time: new Date(Date.parse(time) + 1_000 + 250 * (index % 9)).toISOString(),
    latitude: latitude + (index % 5) / 100,
    longitude: longitude - (index % 7) / 100,
    depth,
    magnitude,
    magnitude_type: index % 2 === 0 ? "Mw" : "ML",
    used_station_count: 5 + 3 * (index % 8),
    azimuthal_gap: 90 + 20 * (index % 6),
    evaluation_mode: "manual",
  };
}

/** A merge with pairs that somebody has to decide, and one that is decided. */
export async function mergedFrom(client: ApiClient, sources: readonly string[]): Promise<string> {
  const { body: made } = await client.send<{ catalogueId: string }>("POST", "/api/merge", {
    name: "Both networks",
    sourceCatalogues: sources.map((id) => ({ id })),
    config: { timeThreshold: 2, distanceThreshold: 4, mergeStrategy: "quality" },
  });
  const path = `/api/catalogues/${made.catalogueId}/merge`;
  const { body: review } = await client.get<{ pairs: readonly Pair[] }>(
    `${path}/review?state=open`,
  );
  const [pair] = review.pairs;
  if (pair) {
    const events = [pair.first, pair.second].map(({ catalogue_id, event_id }) => ({
      catalogue_id,
      event_id,
    }));
    const note = "Their first arrivals are the same.";
    await client.send("POST", `${path}/decisions`, { type: "same", events, note });
  }
  return made.catalogueId;
}

type Named = { readonly catalogue_id: string; readonly event_id: string };
type Pair = { readonly first: Named; readonly second: Named };
