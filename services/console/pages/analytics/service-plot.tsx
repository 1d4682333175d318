import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type AnalysisQuery, type PlotName, readPlot } from "../../api/analysis.ts";
import { Downloads } from "../../ui/downloads.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { addressOfBlob } from "../../ui/picture.ts";
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

/** A plot as the service draws it: in pixels, since an SVG would take other letters than its own. */
export function ServicePlot(props: ServicePlotProps) {
  const { catalogue, plot, query, isReady, label, csv, json } = props;
  const asked = { catalogue, query: { ...query, theme: theme.value } };
  const inPixels = { catalogue, query: { ...asked.query, scale: "2" } };
  const { answer, last, error, reload } = useCall<Blob | null>(
    isReady ? JSON.stringify([plot, asked]) : "",
    async (signal) => (isReady ? (await readPlot(plot, "png", inPixels, signal)).blob() : null),
  );
  const shown = answer.value ?? last;
  const address = useSignal<string | null>(null);
  useEffect(() => {
    if (shown === null) return;
    addressOfBlob(shown).then(
      (found) => {
        address.value = found;
      },
      (reason: unknown) => {
        error.value = reason;
      },
    );
  }, [shown]);
  if (error.value !== null && isReady) return <ErrorNotice error={error.value} retry={reload} />;
  const picture = answer.value;
  return (
    <div class="stack" aria-busy={!picture}>
      {address.value === null ? (
        <Waiting />
      ) : (
        <ScrollArea label="Plot">
          <img class="plot" src={address.value} width={720} height={480} alt={label} />
        </ScrollArea>
      )}
      <Downloads
        name={plot}
        svg={async () => (await readPlot(plot, "svg", asked)).text()}
        {...(picture && { png: async () => picture })}
        csv={csv}
        json={json}
        isBusy={!picture}
      />
    </div>
  );
}
