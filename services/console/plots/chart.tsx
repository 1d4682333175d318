import { h, type RefObject, type VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { type Chart, type Drawn, drawChart, type Look } from "#contracts/plots/chart.ts";
import { PLOT_WIDTHS } from "#contracts/plots/layout.ts";
import { Downloads, svgOf } from "../ui/downloads.tsx";
import { useSize } from "../ui/listen.ts";
import { type Fact, Facts } from "../ui/page.tsx";
import { theme } from "../ui/style/theme.ts";
import { Table as TableView } from "../ui/table.tsx";
import { sentence } from "../ui/text/format.ts";

type FigureProps = {
  /** A function where it depends on how wide it is; or what is drawn by itself. */
  readonly chart: Chart | ((look: Look) => Chart | Drawn);
  readonly label: string;
  /** Of the files. */
  readonly name: string;
  readonly csv: (() => string | Promise<string>) | null;
  readonly json?: string;
  readonly isBusy?: boolean;
};

/** A chart, drawn for the width that it has, to be seen and to be taken along. */
export function Figure({ chart, label, name, csv, json, isBusy = false }: FigureProps) {
  const picture = useRef<SVGSVGElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const width = usePlotWidth(frame);
  return (
    <div class="stack" aria-busy={isBusy}>
      <div class="plot-frame" ref={frame}>
        {width > 0 && <ChartView {...{ chart, label, width, picture }} />}
      </div>
      <Downloads
        name={name}
        svg={() => picture.current && svgOf(picture.current)}
        csv={csv}
        isBusy={isBusy}
        {...(json !== undefined && { json })}
      />
    </div>
  );
}

type ChartViewProps = {
  readonly chart: FigureProps["chart"];
  readonly label: string;
  readonly width: number;
  readonly picture?: RefObject<SVGSVGElement | null>;
};

/** What is seen is what is saved. */
export function ChartView({ chart, label, width, picture }: ChartViewProps) {
  return useMemo(() => {
    const look = { label, width, theme: theme.value };
    const shown = typeof chart === "function" ? chart(look) : chart;
    const [tag, attributes, ...children] = "panels" in shown ? drawChart(shown, look) : shown;
    return h(tag, { ...attributes, ref: picture }, ...children.map(elementOf));
  }, [chart, label, width, theme.value]);
}

function elementOf(drawn: Drawn | string): VNode | string {
  if (typeof drawn === "string") return drawn;
  const [tag, attributes, ...children] = drawn;
  return h(tag, attributes, ...children.map(elementOf));
}

/** So that a window that is drawn larger does not have every plot drawn at each pixel. */
const STEP = 20;

/** How wide a plot in an element is to be drawn, px; 0 before the element is there. */
export function usePlotWidth(frame: RefObject<HTMLElement | null>): number {
  const { width } = useSize(frame).value;
  if (width === 0) return 0;
  const room = Math.floor(width / STEP) * STEP;
  return Math.min(Math.max(room, PLOT_WIDTHS.min), PLOT_WIDTHS.max);
}

/** A list of an answer as a table; all columns but those of texts are numbers. */
export type Table = {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many columns from the left are texts. */
  readonly texts: number;
};

/** What is drawn of an answer here, where the service has no plot of it. */
export type Drawing = { readonly chart: Chart; readonly table: Table | null };

type ResultProps = {
  readonly facts: readonly Fact[];
  /** Why there are no facts. */
  readonly nothing: string | null;
  readonly warnings: readonly string[];
  /** Of what, by which method, with which parameters. */
  readonly how: Parameters<typeof Facts>[0]["facts"];
};

/** Numbers, what to beware of, and how they were made. */
export function Result({ facts, nothing, warnings, how }: ResultProps) {
  const told = facts.map(({ name, text }) => ({ name, text: <strong>{text}</strong> }));
  return (
    <aside class="panel found" aria-label="Result">
      {nothing !== null && <p class="notice warning">{sentence(nothing)}</p>}
      {told.length > 0 && <Facts facts={told} />}
      {warnings.map((message) => (
        <p key={message} class="notice warning">
          {sentence(message)}
        </p>
      ))}
      <Facts facts={how} class="small" />
    </aside>
  );
}

/** Lists of an answer, beside its picture: each with its name. */
export function RowsTables({ tables }: { readonly tables: readonly Table[] }) {
  return (
    <div class="stack rows">
      {tables.flatMap(({ label, heads, rows, texts }) => [
        <h3 key={`${label} head`}>{label}</h3>,
        <TableView
          key={label}
          label={label}
          isLong
          columns={heads.map((head, i) => ({
            head,
            class: i < texts ? "nowrap" : "number nowrap",
            cell: (row: readonly string[]) => row[i],
          }))}
          rows={rows}
        />,
      ])}
    </div>
  );
}
