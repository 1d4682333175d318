import { Link } from "wouter-preact";
import { has } from "../../api/session.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { useMayChange } from "../../ui/call/use-may-change.ts";
import { Empty } from "../../ui/empty.tsx";

/** What stands instead of the map of a catalogue without events. */
export function NoEvents({ catalogue }: { readonly catalogue: Catalogue }) {
  const { id, status } = catalogue;
  const mayChange = useMayChange(catalogue);
  const title = "This catalogue has no events";
  if (status === "processing") {
    const text = "Its first version is being written. It is offered here as soon as it is there.";
    return <Empty title={title} text={text} />;
  }
  if (status === "error") {
    return (
      <Empty title={title} text="Nothing came into it: what was to fill it has failed.">
        {has("viewer") && (
          <Link class="button" href={`/catalogues/${id}/imports`}>
            See its imports
          </Link>
        )}
      </Empty>
    );
  }
  if (!mayChange) {
    return (
      <Empty title={title} text="As soon as an editor has added some, they are offered here." />
    );
  }
  return (
    <Empty title={title} text="Fill it from a file, from an agency, or by hand.">
      <Link class="button primary" href={`/upload?catalogueId=${id}`}>
        Upload a file
      </Link>
      <Link class="button" href={`/import?catalogueId=${id}`}>
        Import from an agency
      </Link>
      <Link class="button" href={`/catalogues/${id}/add-event`}>
        Add an event
      </Link>
    </Empty>
  );
}
