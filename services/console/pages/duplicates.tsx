import { Link } from "wouter-preact";
import { call } from "../api/call.ts";
import { DuplicatesPart } from "../features/merge/duplicates/duplicates-part.tsx";
import type { Catalogue } from "../model/catalogue.ts";
import type { PageProps } from "../model/page-route.ts";
import { useCall } from "../ui/call/use-call.ts";
import { useMayChange } from "../ui/call/use-may-change.ts";
import { Waiting } from "../ui/call/waiting.tsx";
import { FailedPage } from "../ui/failed-page.tsx";
import { useTitle } from "../ui/use-title.ts";

/** Suspected duplicates within one catalogue. */
export function Page({ params: { id = "" } }: PageProps) {
  const { answer, error, reload } = useCall(id, (signal) =>
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  if (answer !== null) return <Duplicates catalogue={answer} />;
  if (error === null) return <Waiting />;
  return <FailedPage title="Duplicates" error={error} retry={reload} />;
}

function Duplicates({ catalogue }: { readonly catalogue: Catalogue }) {
  const { id, name } = catalogue;
  useTitle(`Duplicates in ${name}`);
  return (
    <section class="page">
      <div class="page-head">
        <h1>Duplicates in {name}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      <DuplicatesPart catalogue={catalogue} mayChange={useMayChange(catalogue)} />
    </section>
  );
}
