import { Link } from "wouter-preact";
import { send } from "../api/call.ts";
import { MetadataForm } from "../features/catalogue/metadata-form.tsx";
import { useSeenCatalogue } from "../features/catalogue/use-seen-catalogue.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { PageProps } from "../model/page-route.ts";
import { ErrorNotice } from "../ui/call/error-notice.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { Waiting } from "../ui/call/waiting.tsx";
import { FailedPage } from "../ui/failed-page.tsx";
import { useTitle } from "../ui/use-title.ts";

export function Page({ params: { id = "" } }: PageProps) {
  const { seen, error, retry, write } = useSeenCatalogue(id);
  const title = seen ? `Citation details of ${seen.name}` : "Citation details";
  useTitle(title);
  if (seen === null && error !== null) {
    return <FailedPage title={title} error={error} retry={retry} />;
  }
  return (
    <section class="page">
      <div class="page-head">
        <h1>{title}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      {error !== null && <ErrorNotice error={error} retry={retry} />}
      {seen === null && <Waiting />}
      {seen !== null && (
        <div class="columns wide citation">
          <MetadataForm catalogue={seen} write={write} />
          <Aside catalogue={seen} />
        </div>
      )}
    </section>
  );
}

function Aside({ catalogue }: { readonly catalogue: Catalogue }) {
  return (
    <aside class="stack">
      {catalogue.version > 0 && <CitedNow catalogue={catalogue} />}
      <p class="text muted">
        What you enter here stands in citations, exports and the records of all versions. It makes
        no new version of the events. Guests see it where the catalogue is public.
      </p>
    </aside>
  );
}

function CitedNow({ catalogue: { id, version, metadata } }: { readonly catalogue: Catalogue }) {
  const citation = useCall(`${id} ${version} ${JSON.stringify(metadata)}`, async (signal) => {
    const input = { params: { id, version }, query: {} };
    const operation = "GET /api/catalogues/:id/versions/:version/citation";
    return (await send(operation, input, { signal, accept: "*/*" })).text();
  });
  return (
    <section class="panel" aria-label="Cited now as">
      <h2>Cited now as</h2>
      <p class="cited">{citation.answer ?? "…"}</p>
    </section>
  );
}
