import { distanceKm } from "../../../model/great-circle.ts";
import type { AnswerOf } from "../../../model/operation-types.ts";
import { counted } from "../../../ui/text/format.ts";
import { type Cluster, shiftOf } from "../clusters/clusters.ts";

type Groups = AnswerOf<"POST /api/catalogues/:id/duplicates">["groups"];

/** Suspected duplicates of one catalogue: how the others of a group lie to its first. */
export function clustersOfDuplicates(catalogue: string, groups: Groups): readonly Cluster[] {
  return groups.map(({ members }) => {
    const events = members.map((member) => ({ ...member, catalogue_id: catalogue, source: "" }));
    const [first] = events;
    return {
      members: events.map((event) => ({
        ...event,
        isKept: false,
        shift:
          first === undefined || event === first
            ? ""
            : shiftOf(first, event, {
                time_difference: Math.abs(Date.parse(event.time) - Date.parse(first.time)) / 1_000,
                distance: distanceKm(first, event),
              }),
      })),
      why: `${counted(members.length, "event")} that may be one earthquake.`,
    };
  });
}
