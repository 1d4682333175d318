import { useSignal } from "@preact/signals";
import { Link, useSearch } from "wouter-preact";
import { call, share } from "../api/call.ts";
import { changesOfAccount, mayUse } from "../api/session.ts";
import { AnalyticsNav, type AnalyticsTab, tabNamed } from "../features/analytics/analyses.tsx";
import { AnalysisPart } from "../features/analytics/analysis-part.tsx";
import { Decluster } from "../features/analytics/decluster.tsx";
import { DepthSection } from "../features/analytics/depth-section.tsx";
import {
  filterChange,
  PARAMETERS,
  type PartProps,
  useSetParameters,
} from "../features/analytics/parameters.tsx";
import { FilterBar } from "../features/work/filters/filter-bar.tsx";
import type { Selection } from "../features/work/filters/filters.ts";
import type { Catalogue } from "../model/operation-types.ts";
import type { PageProps } from "../model/page-route.ts";
import { apiQueryOf, filterCount, searchOf, workStateOf } from "../model/work-state.ts";
import { notice, useAction, useCall, Waiting } from "../ui/call.tsx";
import { Cite } from "../ui/cite.tsx";
import { Form, input } from "../ui/form/form.tsx";
import { FailedPage, useTitle } from "../ui/page.tsx";
import { useSavedRegion } from "../ui/saved-regions.tsx";
import { versionName } from "../ui/text/format.ts";

/** Statistics of the events that pass the filters, drawn as papers show them. */
export function Page({ params: { id = "" } }: PageProps) {
  const { answer, error, reload } = useCall<Catalogue>(
    `${id} ${changesOfAccount.value}`,
    (signal) => call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  if (error !== null) {
    return <FailedPage title="Analytics" error={error} retry={reload} />;
  }
  if (answer === null) return <Waiting />;
  return <Analytics catalogue={answer} />;
}

function Analytics({ catalogue }: { readonly catalogue: Catalogue }) {
  const search = useSearch();
  const set = useSetParameters();
  const query = new URLSearchParams(search);
  const state = workStateOf(search);
  const { id, name, version } = catalogue;
  const { asOf } = state;
  const at = Number(asOf ?? version);
  const chosen = query.get("tab") ?? "magnitudes";
  const tab = tabNamed(chosen);
  const moving = useSignal<Selection | undefined>(undefined);
  const isCited = useSignal(false);
  // For its name in the notes below the pictures.
  useSavedRegion(state.filters.region ?? null);
  useTitle(`Analytics of ${name}`);
  return (
    <section class="page">
      <div class="page-head">
        <h1>Analytics of {name}</h1>
        <span class="badge">version {versionName(asOf ?? version)}</span>
        <nav class="row end" aria-label="This catalogue">
          <Link class="button quiet" href={`/catalogues/${id}${searchOf(state)}`}>
            Back to the events
          </Link>
          {share === null && (
            <Link class="button quiet" href={`/compare?a=${id}${asOf ? `&asOfA=${asOf}` : ""}`}>
              Compare…
            </Link>
          )}
          {Number.isInteger(at) && at > 0 && (
            <button type="button" class="quiet" onClick={() => (isCited.value = true)}>
              Cite
            </button>
          )}
        </nav>
        {isCited.value && (
          <Cite catalogue={id} version={at} onClose={() => (isCited.value = false)} />
        )}
      </div>
      <FilterBar state={state} moving={moving} change={filterChange(set)} error={null}>
        <button
          type="button"
          disabled={filterCount(state) === 0}
          onClick={() => filterChange(set)({ filters: {} })}
        >
          Clear
        </button>
      </FilterBar>
      <div class="analytics">
        <AnalyticsNav chosen={chosen} />
        {tab !== undefined && mayUse(tab.role) ? (
          <div class="stack">
            <h2>{tab.title}</h2>
            <p class="about">{tab.about}</p>
            <TabPart
              key={chosen}
              tab={tab}
              {...{ catalogue, query, set }}
              filters={apiQueryOf(state)}
            />
          </div>
        ) : (
          <p class="notice warning">There is no such analysis: choose one of the list.</p>
        )}
      </div>
    </section>
  );
}

function TabPart({ tab, ...part }: PartProps & { readonly tab: AnalyticsTab }) {
  if (tab.tab === "section") return <DepthSection {...part} />;
  if (tab.tab === "decluster") return <Decluster {...part} />;
  if (tab.analysis === undefined) return null;
  if (tab.needs && !part.query.get(tab.needs)) return <LargestEvent {...part} />;
  return <AnalysisPart tab={tab} {...part} />;
}

/** Asks for the main shock, without which there are no aftershocks; the largest event is a good guess. */
function LargestEvent({ catalogue, filters, set }: PartProps) {
  const { isBusy, run } = useAction();
  const { name, label } = PARAMETERS.mainshock;
  const take = () =>
    run(async () => {
      const { events } = await call("GET /api/catalogues/:id/events/filtered", {
        params: { id: catalogue.id },
        query: { asOf: String(catalogue.version), ...filters, orderBy: "magnitude", limit: 1 },
      });
      const [largest] = events;
      if (largest) set({ [name]: largest.id }, "push");
      else notice.error(new Error("No event passes the filters"));
    });
  return (
    <Form
      class="panel main-shock"
      fields={{
        mainshock: input({
          ...{ label, required: true },
          hint: "Its aftershocks are the events after it, within a radius if you give one.",
        }),
      }}
      action="Show its aftershocks"
      run={async (_, typed) => set(typed, "push")}
    >
      <button type="button" disabled={isBusy.value} onClick={take}>
        Take the largest event
      </button>
    </Form>
  );
}
