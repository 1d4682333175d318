import { type AnalysisQuery, type PlotName, readPlot } from "../../api/analysis.ts";
import { Downloads } from "../../ui/downloads.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { addressOfSvg } from "../../ui/picture.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { theme } from "../../ui/theme.ts";
import { useCall } from "../../ui/use-call.ts";
import { Waiting } from "../../ui/waiting.tsx";

type ServicePlotProps = {
  readonly catalogue: string;
  readonly plot: PlotName;
  readonly query: AnalysisQuery;
  /** Whether the numbers have come: the service has them kept then, and draws at once. */
  readonly isReady: boolean;
  readonly label: string;
  readonly csv: (() => string) | null;
  readonly json: string;
};

/** A plot as the service draws it. */
export function ServicePlot(props: ServicePlotProps) {
  const { catalogue, plot, query, isReady, label, csv, json } = props;
  const asked = { catalogue, query: { ...query, theme: theme.value } };
  const { answer, last, error, reload } = useCall<string | null>(
    isReady ? JSON.stringify([plot, asked]) : "",
    async (signal) => (isReady ? (await readPlot(plot, "svg", asked, signal)).text() : null),
  );
  const shown = answer.value ?? last;
  if (error.value !== null && isReady) return <ErrorNotice error={error.value} retry={reload} />;
  return (
    <div class="stack" aria-busy={!answer.value}>
      {shown === null ? (
        <Waiting />
      ) : (
        <ScrollArea label="Plot">
          <img class="plot" src={addressOfSvg(shown)} width={720} height={480} alt={label} />
        </ScrollArea>
      )}
      <Downloads
        name={plot}
        svg={() => answer.value}
        png={async () =>
          (await readPlot(plot, "png", { ...asked, query: { ...asked.query, scale: "2" } })).blob()
        }
        csv={csv}
        json={json}
        isBusy={!answer.value}
      />
    </div>
  );
}
