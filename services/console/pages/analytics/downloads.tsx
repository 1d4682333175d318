import { saveText } from "../../ui/save-text.ts";
import { theme } from "../../ui/theme.ts";
import { type Analysis, type AnalysisQuery, analysisAddress, csvOf } from "./analysis.ts";

type DownloadsProps = {
  readonly catalogue: string;
  readonly plot: string;
  readonly query: AnalysisQuery;
  readonly answer: Analysis;
  /** The address of the answer. */
  readonly json: string;
};

/** The plot and its numbers, to be taken along. */
export function Downloads({ catalogue, plot, query, answer, json }: DownloadsProps) {
  const shown = { ...query, theme: theme.value };
  const csv = csvOf(answer);
  return (
    <p class="row">
      <a href={analysisAddress(catalogue, `${plot}.svg`, shown)} download={`${plot}.svg`}>
        as SVG
      </a>
      <a
        href={analysisAddress(catalogue, `${plot}.png`, { ...shown, scale: "2" })}
        download={`${plot}.png`}
      >
        as PNG
      </a>
      {csv !== null && (
        <button
          type="button"
          class="plain link"
          onClick={() => saveText(`${plot}.csv`, "text/csv", csv)}
        >
          as CSV
        </button>
      )}
      <a href={json}>as JSON</a>
    </p>
  );
}
