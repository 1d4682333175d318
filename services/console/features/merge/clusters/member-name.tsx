import { addressOfEvent } from "../../../model/address-of-event.ts";
import type { Pair, Source } from "../config/merge-body.ts";

type Member = Pair["first"];

type MemberNameProps = { readonly member: Member; readonly sources: readonly Source[] };

/** An event of a source: the source's label, and the agency's id as the way to the event. */
export function MemberName({ member, sources }: MemberNameProps) {
  const { catalogue_id, event_id, source_id, source } = member;
  const name = source || sources.find(({ id }) => id === catalogue_id)?.name;
  return (
    <span>
      {name} {/* Not the router's link, which knows no other tab: the preview stays open. */}
      <a
        class="nowrap"
        href={addressOfEvent(catalogue_id, event_id)}
        target="_blank"
        rel="noopener"
        title="Opens in a new tab"
      >
        {source_id ?? event_id.slice(0, 8)}
      </a>
    </span>
  );
}
