import { Link } from "wouter-preact";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { Empty } from "../../ui/empty.tsx";
import { isGone } from "../../ui/failed-page.tsx";

type NoRegionProps = { readonly error: unknown; readonly retry: () => void };

/** Stands where a region could not be read. */
export function NoRegion({ error, retry }: NoRegionProps) {
  return (
    <section class="page">
      <h1>{isGone(error) ? "There is no such region" : "Region"}</h1>
      {!isGone(error) && <ErrorNotice error={error} retry={retry} />}
      <Empty title="Nothing stands at this address." text="The region may have been deleted.">
        <Link class="button" href="/regions">
          All regions
        </Link>
      </Empty>
    </section>
  );
}
