import { Link } from "wouter-preact";
import { has } from "../../api/session.ts";
import type { Catalogue } from "../../model/catalogue.ts";

/** What stands instead of the map of a catalogue without events. */
export function NoEvents({ catalogue }: { readonly catalogue: Catalogue }) {
  const { id, status } = catalogue;
  return (
    <div class="panel">
      <h2>This catalogue has no events</h2>
      {status === "processing" ? (
        <p>Its first version is being written. It is offered here as soon as it is there.</p>
      ) : status === "error" ? (
        <p>
          Nothing came into it: what was to fill it has failed.
          {has("viewer") && (
            <>
              {" "}
              Its <Link href={`/catalogues/${id}/imports`}>imports</Link> tell why.
            </>
          )}
        </p>
      ) : has("editor") ? (
        <p>
          <Link href={`/upload?catalogueId=${id}`}>Upload a file</Link> into it, or{" "}
          <Link href={`/import?catalogueId=${id}`}>import</Link> events from an agency.
        </p>
      ) : (
        <p>As soon as an editor has added some, they are offered here.</p>
      )}
    </div>
  );
}
