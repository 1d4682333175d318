import type { Kind } from "#contracts/bulletin/field.ts";
import { withGivenReference } from "#contracts/bulletin/own-members.ts";
import type { TypeName } from "#contracts/bulletin/quakeml-types.ts";
import { OWN_AUTHORITY } from "#contracts/seismic-event/own-public-id.ts";
import { rewritten } from "../references.ts";
import type { Identified } from "../solutions.ts";

/** What does not stand in every id. */
const UNSAFE = /[^\w.-]/g;

/** The id of the union for a reference of a member; null where it leads nowhere there, but here. */
type Meaning = (to: Kind, id: string) => string | null;

/**
 * An object of a member with references to what they mean in the union. One that leads nowhere and whose
 * id another member has gets an id that nothing has, and keeps the given one beside it.
 */
export function withMeaning(type: TypeName, object: Identified, meaning: Meaning): Identified {
  const result = rewritten(type, object, (holder, { member, to, id }) => {
    const present = meaning(to, id);
    if (present === id) return holder;
    if (present !== null) return { ...holder, [member]: present };
    const nothing = `${OWN_AUTHORITY}${to}/none/${id.replaceAll(UNSAFE, "-")}`;
    return withGivenReference({ ...holder, [member]: nothing }, member, id);
  });
  return result ?? object;
}
