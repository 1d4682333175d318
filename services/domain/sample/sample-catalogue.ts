import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";
import { type SampleEvent, sampleEvents } from "./sample-events.ts";

/** The sample as it is submitted, in the form of a catalogue's creation. */
export type SampleCatalogue = {
  readonly name: string;
  readonly is_public: true;
  readonly metadata: CatalogueMetadata;
  readonly events: readonly SampleEvent[];
};

export function sampleCatalogue(): SampleCatalogue {
  return {
    name: "Sample: a made-up sequence near Taupō",
    is_public: true,
    metadata: {
      title: "A made-up earthquake sequence near Taupō, New Zealand",
      description:
        "For trying things out. Nothing of it was observed: the events were drawn at random by the laws that earthquakes follow, with a main shock, aftershocks, a swarm, quarry blasts and a slab below.",
      license: "CC0-1.0",
    },
    events: sampleEvents(),
  };
}
