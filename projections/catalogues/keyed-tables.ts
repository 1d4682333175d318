import type { ProjectedTable } from "../engine/projection.ts";

const OWNER = { table: "catalogues", key: "key", by: "catalogue_key" } as const;
const GIVEN_UP = {
  table: "abandoned_revisions",
  by: "catalogue_key",
  revision: "revision",
  from: "revision",
} as const;

/** Tables with rows by a catalogue's key, of which there may be millions: they outlive it for a while. */
export const KEYED_TABLES: readonly ProjectedTable[] = [
  {
    name: "seismic_events",
    key: ["catalogue_key", "event_id", "revision_from"],
    owner: OWNER,
    givenUp: { ...GIVEN_UP, from: "revision_from", to: "revision_to" },
    foundBy: ["seismic_events_revision", "seismic_events_superseded", "seismic_events_time"],
  },
  { name: "event_blocks", key: ["catalogue_key", "since", "revision_from"], owner: OWNER },
  {
    name: "merge_members",
    key: ["member", "catalogue_key", "event_id"],
    owner: OWNER,
    givenUp: GIVEN_UP,
    foundBy: ["merge_members_revision"],
  },
  {
    name: "bulletins",
    key: ["catalogue_key", "event_id", "revision", "part", "piece"],
    owner: OWNER,
    givenUp: GIVEN_UP,
    foundBy: ["bulletins_revision"],
  },
  {
    name: "bulletin_magnitudes",
    key: ["catalogue_key", "event_id", "revision", "place"],
    owner: OWNER,
    givenUp: GIVEN_UP,
    foundBy: ["bulletin_magnitudes_revision"],
  },
  {
    name: "abandoned_revisions",
    key: ["catalogue_key", "revision"],
    owner: OWNER,
    isWork: true,
  },
];
