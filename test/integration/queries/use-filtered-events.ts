import { FilteredQuery } from "#contracts/http/events/seismic-events.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { Parameters } from "./api-reads.ts";
import { inOrder, listed, satisfies } from "./event-oracle.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

export const at = (latitude: number, longitude: number) =>
  emptyRecord({ time: "2016-11-13T11:02:56Z", latitude, longitude });

/** What `/filtered` answers of catalogues that are made here. */
export function useFilteredEvents() {
  const model = useReadModel();
  async function catalogueOf(...records: SeismicEventRecord[]): Promise<ModelCatalogue> {
    const catalogue = await createModelCatalogue(model.writer);
    await catalogue.commit({ add: records });
    return catalogue;
  }

  async function filtered(catalogue: ModelCatalogue, query: Parameters = {}) {
    const { body } = await model.api.filterEvents({ id: catalogue.id }, query);
    return body;
  }

  return { model, catalogueOf, filtered };
}

/** What `/filtered` says of the same filters, done in memory. */
export function expected(catalogue: ModelCatalogue, query: Parameters, version?: number) {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const filters = FilteredQuery.parse(Object.fromEntries(texts));
  const { orderBy = "time" } = filters;
  const matching = catalogue.events(version).filter((event) => satisfies(event, filters));
  return inOrder(matching, orderBy).map(listed);
}
