import { Link, useSearch } from "wouter-preact";
import { call } from "../api/call.ts";
import { ConvertPart } from "../features/merge/conversions/convert-part.tsx";
import type { PageProps } from "../model/page-route.ts";
import { workStateOf } from "../model/work-state.ts";
import { Answered } from "../ui/call/answered.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { FailedPage, isGone } from "../ui/failed-page.tsx";

/** Magnitudes of a catalogue converted to another type, by one edit; the filters of the address say of which events. */
export function Page({ params: { id = "" } }: PageProps) {
  const { filters } = workStateOf(useSearch());
  const read = useCall(id, (signal) =>
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  if (isGone(read.error)) {
    return <FailedPage title="Convert magnitudes" error={read.error} retry={read.reload} />;
  }
  return (
    <section class="page middle">
      <div class="page-head">
        <h1>Convert magnitudes{read.answer && ` of ${read.answer.name}`}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      <Answered call={read}>
        {(catalogue) => <ConvertPart key={id} catalogue={catalogue} filters={filters} />}
      </Answered>
    </section>
  );
}
