import { bareIdOf, type EventIds } from "#contracts/seismic-event/public-ids.ts";

/** An event as it is given, and what it says of its earthquake. */
export type Given = EventIds & { readonly value: number };

/** An event of a catalogue. */
export type ModelEvent = { sourceId: string | null; publicId: string | null; value: number };

/**
 * The rules of infra/decisions/0024 by looking through lists, without any index or memory of ids: gives
 * the events of one run, or of one submission, to a catalogue.
 */
export function giveToModel(
  catalogue: ModelEvent[],
  events: readonly Given[],
  updateExisting: boolean,
): void {
  const came: Given[] = [];
  const met = new Set<ModelEvent>();
  for (const given of events) {
    if (came.some((earlier) => isGivenAgain(earlier, given))) continue;
    came.push(given);
    const found = given.publicId === null ? ofBareId(given) : ofPublicId(given);
    if (found === "left") continue;
    if (found === "new") {
      const added = { ...given, sourceId: freeSourceId(given) };
      catalogue.push(added);
      met.add(added);
      continue;
    }
    met.add(found);
    if (!updateExisting) continue;
    found.publicId = given.publicId ?? found.publicId;
    found.value = given.value;
  }

  function ofPublicId(given: Given): ModelEvent | "left" | "new" {
    const same = catalogue.find(({ publicId }) => publicId === given.publicId);
    if (same !== undefined) return met.has(same) ? "left" : same;
    const bareId = bareIdOf(given);
    const bare = catalogue.find(
      (event) => event.publicId === null && event.sourceId === bareId && bareId !== null,
    );
    return bare !== undefined && !met.has(bare) ? bare : "new";
  }

  function ofBareId(given: Given): ModelEvent | "left" | "new" {
    if (given.sourceId === null) return "new";
    const namesake = catalogue.find(({ sourceId }) => sourceId === given.sourceId);
    const others = catalogue.filter(
      (event) =>
        event !== namesake &&
        event.publicId !== null &&
        event.sourceId === event.publicId &&
        bareIdOf(event) === given.sourceId,
    );
    if (namesake !== undefined) {
      const isUnclear = namesake.publicId !== null && others.length > 0;
      return isUnclear || met.has(namesake) ? "left" : namesake;
    }
    const [only, ...further] = others.filter((event) => !met.has(event));
    if (further.length > 0) return "left";
    return only ?? "new";
  }

  function freeSourceId({ sourceId, publicId }: Given): string | null {
    const isFree = (id: string) => catalogue.every((event) => event.sourceId !== id);
    if (sourceId === null || isFree(sourceId)) return sourceId;
    return publicId !== null && isFree(publicId) ? publicId : null;
  }
}

/** One public id, or one `source_id` where one of the two has no public id. */
function isGivenAgain(earlier: EventIds, later: EventIds): boolean {
  if (earlier.publicId !== null && later.publicId !== null) {
    return earlier.publicId === later.publicId;
  }
  return earlier.sourceId !== null && earlier.sourceId === later.sourceId;
}
