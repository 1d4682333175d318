import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../../api/call.ts";
import { readColumns } from "../../api/columns.ts";
import type { AnswerOf } from "../../api/operation-types.ts";
import { changesOfAccount } from "../../api/session.ts";
import type { PageProps } from "../../routes.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { useCall } from "../../ui/use-call.ts";
import { Waiting } from "../../ui/waiting.tsx";
import { Head } from "./head.tsx";
import { Loading } from "./loading.tsx";
import { SERVICE_FILTERS, type WorkState } from "./url-state.ts";
import { useWorkState } from "./use-work-state.ts";
import { VersionBar } from "./version-bar.tsx";
import { WorkArea } from "./work-area.tsx";

export type Catalogue = AnswerOf<"GET /api/catalogues/:id">;

/** The work page of a catalogue: its events on a map, in a table and along time, linked. */
export function Page({ params: { id = "" } }: PageProps) {
  const { answer, error, reload } = useCall<Catalogue>(
    `${id} ${changesOfAccount.value}`,
    (signal) => call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  if (error.value !== null) return <ErrorNotice error={error.value} retry={reload} />;
  const catalogue = answer.value;
  if (catalogue === null || catalogue.id !== id) return <Waiting />;
  return <Work key={id} catalogue={catalogue} reload={reload} />;
}

type WorkProps = { readonly catalogue: Catalogue; readonly reload: () => void };

function Work({ catalogue, reload }: WorkProps) {
  const [state, change] = useWorkState();
  const bytes = useSignal(0);
  // Pinned: what comes to the catalogue is offered, and never changes what is being looked at.
  const asOf = state.asOf ?? (catalogue.version > 0 ? String(catalogue.version) : null);
  const query = serviceQuery(state, asOf);
  const further = state.colour === "quality" ? (["azimuthal_gap"] as const) : [];
  const loaded = useCall(`${JSON.stringify(query)} ${further.join()}`, (signal) => {
    bytes.value = 0;
    return readColumns(catalogue.id, query, further, {
      signal,
      onBytes: (read) => {
        bytes.value = read;
      },
    });
  });
  useEffect(() => {
    document.title = `${catalogue.name} · Earthquake catalogues`;
  }, [catalogue.name]);
  const columns = loaded.answer.value;
  const isOld = state.asOf !== null;
  return (
    <section class="page wide work">
      <Head catalogue={catalogue} state={state} change={change} reload={reload} />
      {isOld && columns && (
        <VersionBar catalogue={catalogue} version={columns.version} change={change} />
      )}
      {loaded.error.value !== null && (
        <ErrorNotice error={loaded.error.value} retry={loaded.reload} />
      )}
      {columns === null ? (
        loaded.error.value === null && <Loading bytes={bytes.value} />
      ) : (
        <WorkArea catalogue={catalogue} columns={columns} state={state} change={change} />
      )}
    </section>
  );
}

/** What only the service can filter; the rest is done here, at once. */
function serviceQuery({ filters }: WorkState, asOf: string | null): Record<string, string> {
  const query: Record<string, string> = asOf === null ? {} : { asOf };
  for (const name of SERVICE_FILTERS) {
    const value = filters[name];
    if (value) query[name] = value;
  }
  return query;
}
