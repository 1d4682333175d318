import { useRef } from "preact/hooks";
import { type AnalysisQuery, type PlotName, readPlot } from "../../api/analysis.ts";
import { usePlotWidth } from "../../plots/chart/use-plot-width.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
import { Downloads } from "../../ui/downloads.tsx";
import { theme } from "../../ui/style/theme.ts";
import { addressOfBlob } from "../../ui/text/picture.ts";

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

type Picture = { readonly blob: Blob; readonly address: string; readonly width: number };

/** A plot as the service draws it: in pixels, since an SVG would take other letters than its own. */
export function ServicePlot(props: ServicePlotProps) {
  const { catalogue, plot, query, isReady, label, csv, json } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = usePlotWidth(frame);
  const isAsked = isReady && width > 0;
  const request = { catalogue, query: { ...query, theme: theme.value, width: String(width) } };
  const inPixels = { catalogue, query: { ...request.query, scale: "2" } };
  const { answer, last, error, reload } = useCall<Picture | null>(
    isAsked ? JSON.stringify([plot, request]) : "",
    async (signal) => {
      if (!isAsked) return null;
      const blob = await (await readPlot(plot, "png", inPixels, signal)).blob();
      return { blob, address: await addressOfBlob(blob), width };
    },
  );
  const drawn = useRef<Picture | null>(null);
  drawn.current = last ?? drawn.current;
  const picture = answer;
  const isRefused = error !== null && isReady;
  return (
    <div class="stack" aria-busy={!picture}>
      <div class="plot-frame" ref={frame}>
        {isRefused && <ErrorNotice error={error} retry={reload} />}
        {!isRefused && drawn.current === null && <Waiting />}
        {!isRefused && drawn.current !== null && (
          <img class="plot" src={drawn.current.address} width={drawn.current.width} alt={label} />
        )}
      </div>
      <Downloads
        name={plot}
        svg={async () => (await readPlot(plot, "svg", request)).text()}
        {...(picture && { png: async () => picture.blob })}
        csv={csv}
        json={json}
        isBusy={!picture}
      />
    </div>
  );
}
