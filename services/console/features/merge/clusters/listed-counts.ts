import { count } from "../../../ui/text/format.ts";
import type { Preview } from "../config/merge-body.ts";

type ListedCounts = { readonly ambiguous: string; readonly groups: string };

/**
 * How many groups and pairs there are, and how many of them are listed. Of the groups the service
 * counts all; of the pairs it says only whether something is missing, in one word for both lists.
 */
export function listedCounts({
  ambiguous,
  groups,
  duplicateGroups,
  truncated,
}: Pick<Preview, "ambiguous" | "groups" | "duplicateGroups" | "truncated">): ListedCounts {
  const areGroupsCut = groups.length < duplicateGroups;
  const pairs = count(ambiguous.length);
  return {
    groups: areGroupsCut
      ? `${count(groups.length)} of ${count(duplicateGroups)}`
      : count(groups.length),
    ambiguous: !truncated
      ? pairs
      : areGroupsCut
        ? `${pairs}${ambiguous.length < groups.length ? "" : " or more"}`
        : `more than ${pairs}`,
  };
}
