import type { Precondition } from "#services/commands/catalogues/catalogue-decision.ts";
import { catalogueTag, matchesStrongly, versionTag } from "./etag.ts";

/** `If-Match` on a catalogue, whose tag covers name, visibility and version. */
export function catalogueUnchanged(ifMatch: readonly string[] | null): Precondition {
  if (ifMatch === null) return null;
  return ({ version, name, publicFrom }) =>
    matchesStrongly(ifMatch, catalogueTag({ version, name, public_from: publicFrom }));
}

/** `If-Match` on a catalogue's events, whose tag is the version. */
export function eventsUnchanged(ifMatch: readonly string[] | null): Precondition {
  if (ifMatch === null) return null;
  return ({ version }) => matchesStrongly(ifMatch, versionTag(version));
}
