import { useEffect, useRef } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { call } from "../api/call.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { ANALYSES } from "../features/analytics/analyses.ts";
import { AnalysisPart } from "../features/analytics/analysis-part.tsx";
import { Decluster } from "../features/analytics/decluster.tsx";
import { DepthSection } from "../features/analytics/depth-section.tsx";
import { LargestEvent } from "../features/analytics/largest-event.tsx";
import { useSetParameters } from "../features/analytics/use-parameters.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { PageProps } from "../model/page-route.ts";
import { apiQueryOf, filterCount, searchOf, workStateOf } from "../model/work-state.ts";
import { FailedPage } from "../ui/call/failed-page.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { Waiting } from "../ui/call/waiting.tsx";
import { versionName } from "../ui/text/format.ts";
import { useTitle } from "../ui/use-title.ts";

/** Tabs beside those of single analyses. */
const SECTION = { tab: "section", title: "Depth section" } as const;
const DECLUSTER = { tab: "decluster", title: "Decluster" } as const;

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
  const { id, name } = catalogue;
  const search = useSearch();
  const set = useSetParameters();
  const query = new URLSearchParams(search);
  const state = workStateOf(search);
  const chosen = query.get("tab") ?? "magnitudes";
  const analysis = ANALYSES.find(({ tab }) => tab === chosen);
  useTitle(`Analytics of ${name}`);
  const tabs = [...ANALYSES, SECTION, ...(has("editor") ? [DECLUSTER] : [])];
  const part = { catalogue, filters: apiQueryOf(state), query, set };
  return (
    <section class="page">
      <div class="page-head">
        <h1>Analytics of {name}</h1>
        <nav class="row end" aria-label="This catalogue">
          <Link href={`/compare?a=${id}${state.asOf ? `&asOfA=${state.asOf}` : ""}`}>
            Compare with another catalogue…
          </Link>
          <Link href={`/catalogues/${id}${searchOf(state)}`}>Back to the events</Link>
        </nav>
      </div>
      <p class="muted">
        Version {versionName(state.asOf ?? catalogue.version)},{" "}
        {filterCount(state) > 0
          ? Object.entries(state.filters)
              .map(([filter, value]) => `${filter} ${value}`)
              .join(", ")
          : "all events"}
      </p>
      <AnalysisTabs tabs={tabs} chosen={chosen} />
      {analysis?.needs && !query.get(analysis.needs) ? (
        <LargestEvent {...part} />
      ) : (
        analysis && <AnalysisPart key={chosen} analysis={analysis} {...part} />
      )}
      {chosen === SECTION.tab && <DepthSection {...part} />}
      {chosen === DECLUSTER.tab && <Decluster {...part} />}
    </section>
  );
}

type AnalysisTabsProps = {
  readonly tabs: readonly { readonly tab: string; readonly title: string }[];
  readonly chosen: string;
};

function AnalysisTabs({ tabs, chosen }: AnalysisTabsProps) {
  const [path] = useLocation();
  // Kept for the way back, but for the work page's own tab, which is called alike; parameters of one
  // analysis mean nothing to another.
  const work = searchOf({ ...workStateOf(useSearch()), tab: "table" });
  // Where the tabs do not fit they are moved sideways.
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = nav.current?.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [chosen]);
  return (
    <nav ref={nav} class="tabs analysis-tabs" aria-label="Analyses">
      {tabs.map(({ tab, title }) => (
        <Link
          key={tab}
          href={`${path}${work === "" ? "?" : `${work}&`}tab=${tab}`}
          aria-current={tab === chosen ? "page" : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
