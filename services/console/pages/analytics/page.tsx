import { useEffect } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { call } from "../../api/call.ts";
import type { AnswerOf } from "../../api/operation-types.ts";
import { changesOfAccount, has } from "../../api/session.ts";
import type { PageProps } from "../../routes.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { useCall } from "../../ui/use-call.ts";
import { Waiting } from "../../ui/waiting.tsx";
import { apiQueryOf, filterCount, workStateOf } from "../catalogue/url-state.ts";
import { ANALYSES } from "./analyses.ts";
import { AnalysisPart } from "./analysis-part.tsx";
import { Decluster } from "./decluster.tsx";
import { DepthSection } from "./depth-section.tsx";
import { OverTime } from "./over-time.tsx";

export type Catalogue = AnswerOf<"GET /api/catalogues/:id">;

/** Tabs beside those of single analyses. */
const FURTHER = [
  { tab: "over-time", title: "Mc and b over time" },
  { tab: "section", title: "Depth section" },
] as const;

/** Statistics of the events that pass the filters, drawn by the service as papers show them. */
export function Page({ params: { id = "" } }: PageProps) {
  const { answer, error, reload } = useCall<Catalogue>(
    `${id} ${changesOfAccount.value}`,
    (signal) => call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  if (error.value !== null) return <ErrorNotice error={error.value} retry={reload} />;
  if (answer.value === null) return <Waiting />;
  return <Analytics catalogue={answer.value} />;
}

function Analytics({ catalogue }: { readonly catalogue: Catalogue }) {
  const { id, name } = catalogue;
  const search = useSearch();
  const [path, navigate] = useLocation();
  const query = new URLSearchParams(search);
  const state = workStateOf(search);
  const chosen = query.get("tab") ?? "magnitudes";
  const analysis = ANALYSES.find(({ tab }) => tab === chosen);
  useEffect(() => {
    document.title = `Analytics of ${name} · Earthquake catalogues`;
  }, [name]);
  const addressOfTab = (tab: string) => {
    // Parameters of one analysis mean nothing to another.
    const kept = new URLSearchParams({ ...apiQueryOf(state), tab });
    return `${path}?${kept}`;
  };
  const tabs = [
    ...ANALYSES,
    ...FURTHER,
    ...(has("editor") ? [{ tab: "decluster", title: "Decluster" }] : []),
  ];
  const filters = new URLSearchParams(apiQueryOf(state));
  return (
    <section class="page">
      <div class="page-head">
        <h1>Analytics of {name}</h1>
        <Link class="end" href={`/catalogues/${id}${filters.size > 0 ? `?${filters}` : ""}`}>
          Back to the events
        </Link>
      </div>
      <p class="muted">
        {state.asOf ? `Version ${state.asOf}` : `Version ${catalogue.version}`},{" "}
        {filterCount(state) > 0
          ? [...new URLSearchParams(state.filters as Record<string, string>)]
              .map(([filter, value]) => `${filter} ${value}`)
              .join(", ")
          : "all events"}
      </p>
      <nav class="tabs" aria-label="Analyses">
        {tabs.map(({ tab, title }) => (
          <Link
            key={tab}
            href={addressOfTab(tab)}
            aria-current={tab === chosen ? "page" : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      {analysis && (
        <AnalysisPart
          key={chosen}
          catalogue={catalogue}
          analysis={analysis}
          filters={apiQueryOf(state)}
          query={query}
          onQuery={(next) => navigate(`${path}?${next}`, { replace: true })}
        />
      )}
      {chosen === "over-time" && <OverTime catalogue={catalogue} filters={apiQueryOf(state)} />}
      {chosen === "section" && <DepthSection catalogue={catalogue} filters={apiQueryOf(state)} />}
      {chosen === "decluster" && <Decluster catalogue={catalogue} filters={apiQueryOf(state)} />}
    </section>
  );
}
