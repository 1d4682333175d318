import { Link } from "wouter-preact";
import type { Pair, Source } from "./merge-body.ts";

type Member = Pair["first"];

type MemberNameProps = { readonly member: Member; readonly sources: readonly Source[] };

/** An event of a source: the source's label, and the agency's id as the way to the event. */
export function MemberName({ member, sources }: MemberNameProps) {
  const { catalogue_id, event_id, source_id, source } = member;
  const name = source || sources.find(({ id }) => id === catalogue_id)?.name;
  return (
    <span class="nowrap">
      {name}{" "}
      <Link href={`/catalogues/${catalogue_id}/events/${event_id}`} target="_blank">
        {source_id ?? event_id.slice(0, 8)}
      </Link>
    </span>
  );
}
