import { EXTRA_OF_MAGNITUDE, EXTRA_OF_ORIGIN } from "#contracts/bulletin/extra-of-row.ts";
import { pathNames } from "#contracts/bulletin/row-paths.ts";
import { CONVERTED_FROM } from "#contracts/seismic-event/converted-from.ts";
import type { GivenGroup, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

type Group = {
  readonly names: readonly (keyof SeismicEventRecord)[];
  /** Members of `extra` that say more of it. */
  readonly ofExtra: readonly string[];
};

/** What comes whole from one solution: the attributes of a bulletin's origin, magnitude and mechanisms. */
export const ATTRIBUTE_GROUPS: Readonly<Record<GivenGroup, Group>> = {
  location: {
    names: [...pathNames("origin"), "horizontal_uncertainty"],
    ofExtra: EXTRA_OF_ORIGIN,
  },
  magnitude: { names: pathNames("magnitude"), ofExtra: [...EXTRA_OF_MAGNITUDE, CONVERTED_FROM] },
  mechanism: { names: ["focal_mechanisms"], ofExtra: [] },
};

/** The record with a group of attributes of another, which may be one of the same solutions or their mean. */
export function withGroup(
  record: SeismicEventRecord,
  group: GivenGroup,
  from: SeismicEventRecord,
): SeismicEventRecord {
  const { names, ofExtra } = ATTRIBUTE_GROUPS[group];
  const taken = Object.fromEntries(names.map((name) => [name, from[name]]));
  const isOf = ([name]: readonly [string, unknown]) => ofExtra.includes(name);
  const kept = Object.entries(record.extra ?? {}).filter((member) => !isOf(member));
  const given = Object.entries(from.extra ?? {}).filter(isOf);
  const extra = kept.length + given.length > 0 ? Object.fromEntries([...kept, ...given]) : null;
  return { ...record, ...taken, extra };
}
