import { expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { OWN_NAMESPACE, OWN_PREFIX } from "#infra/formats/quakeml/shared/event-ids.ts";
import { servedExport } from "../../support/agency/exported-events.ts";
import { XML_HEAD } from "../../support/agency/geonet-xml.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { exportedEvents, merge, sourceOf } from "../merge/merge-scene.ts";
import { imported, useImports } from "./import-scene.ts";

const EVENTS = 400;
const xmlHead = XML_HEAD.replace("xmlns=", `xmlns:${OWN_PREFIX}="${OWN_NAMESPACE}" xmlns=`);
const scene = useImports({ cap: 150, xmlHead });

/** Everything that is known of events but the ids that this service has given them. */
async function contentOf(client: ApiClient, id: string): Promise<unknown[]> {
  const events = await exportedEvents(client, id);
  return events.map(({ id: _, source_events: sources, ...event }: SeismicEvent) => ({
    ...event,
    // Members of one time are in the order of those ids.
    sources: sources
      ?.map(({ source_id, source, chosen, distance, quality_score }) =>
        JSON.stringify({ source_id, source, chosen, distance, quality_score }),
      )
      .sort(),
  }));
}

/** The catalogue that an import of the QuakeML export of another one gives. */
async function throughTheAgency(client: ApiClient, id: string): Promise<string> {
  const exported = await client.stream(`/api/catalogues/${id}/export?format=quakeml`);
  const { catalogue } = scene.agency;
  for (const { row } of catalogue.events()) catalogue.replace(String(row["source_id"]), null);
  catalogue.add(...servedExport(await exported.text()).events);
  return (await imported(client)).catalogueId;
}

/** The same earthquakes as another network locates them, with ids of its own. */
function* relocated(seed: number) {
  for (const event of generateEvents(seed, EVENTS)) {
    const { source_id: id, latitude, azimuthal_gap: gap } = event;
    yield {
      ...event,
      source_id: `other-${id}`,
      latitude: Number((Number(latitude) + 0.05).toFixed(6)),
      azimuthal_gap: Number((Number(gap) / 2).toFixed(2)),
      extra: { network: "of the universities" },
    };
  }
}

test("two exports that come back through the agency are the same catalogues, and so is their merge", async () => {
  const editor = await scene.service.loginAs("editor");
  const one = await sourceOf(editor, "one", [...generateEvents(9, EVENTS)]);
  const other = await sourceOf(editor, "other", [...relocated(9)]);
  const back = [
    { ...one, id: await throughTheAgency(editor, one.id) },
    { ...other, id: await throughTheAgency(editor, other.id) },
  ];
  for (const [i, source] of [one, other].entries()) {
    expect(await contentOf(editor, back[i]?.id ?? "")).toEqual(await contentOf(editor, source.id));
  }
  const merged = await merge(editor, [one, other]);
  expect(merged.duplicatesRemoved).toBeGreaterThan(EVENTS / 2);
  const mergedBack = await merge(editor, back);
  const { catalogueId: _, ...counts } = merged;
  expect(mergedBack).toMatchObject(counts);
  const content = await contentOf(editor, merged.catalogueId);
  expect(await contentOf(editor, mergedBack.catalogueId)).toEqual(content);
});
