import { addressOf, send } from "../../api/call.ts";
import type { AnswerOf } from "../../api/operation-types.ts";
import { csvOf } from "../../ui/csv.ts";

export type AnalysisName =
  | "b-value"
  | "completeness"
  | "rates"
  | "moment"
  | "inter-event"
  | "depths"
  | "density"
  | "omori"
  | "nearest-neighbour"
  | "quality"
  | "summary";

export type AnswerTo<N extends AnalysisName> = AnswerOf<`GET /api/catalogues/:id/analytics/${N}`>;
export type Analysis = AnswerTo<AnalysisName>;
export type AnalysisQuery = Readonly<Record<string, string>>;

/** Plots that the service draws. */
export type PlotName =
  | "magnitude-frequency"
  | "completeness"
  | "rates"
  | "time-magnitude"
  | "depths"
  | "density"
  | "omori"
  | "nearest-neighbour";

type Asked = { readonly catalogue: string; readonly query: AnalysisQuery };

function operationOf<N extends AnalysisName>(name: N) {
  return `GET /api/catalogues/:id/analytics/${name}` as const;
}

export function analysisAddress(name: AnalysisName, { catalogue, query }: Asked): string {
  return addressOf(operationOf(name), { params: { id: catalogue }, query });
}

/** @throws CallError */
export async function readAnalysis<N extends AnalysisName>(
  name: N,
  { catalogue, query }: Asked,
  signal: AbortSignal,
): Promise<AnswerTo<N>> {
  const input = { params: { id: catalogue }, query };
  const response = await send(operationOf<AnalysisName>(name), input, { signal });
  return response.json();
}

const MEDIA_TYPES = { svg: "image/svg+xml", png: "image/png" } as const;

/** @throws CallError */
export function readPlot(
  name: PlotName,
  format: keyof typeof MEDIA_TYPES,
  { catalogue, query }: Asked,
  signal?: AbortSignal,
): Promise<Response> {
  return send(
    `GET /api/catalogues/:id/analytics/${name}.:format`,
    { params: { id: catalogue, format }, query },
    { accept: MEDIA_TYPES[format], ...(signal && { signal }) },
  );
}

type Row = Readonly<Record<string, unknown>>;
type Lists = {
  readonly bins?: readonly Row[] | undefined;
  readonly series?: readonly Row[] | undefined;
};

/** A list of an answer as CSV, without the lists in its rows; null where it is empty. */
export function csvOfList(answer: Lists, list: keyof Lists): string | null {
  const rows = answer[list] ?? [];
  if (rows.length === 0) return null;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (name) => !rows.some((row) => Array.isArray(row[name])),
  );
  return csvOf(
    names,
    rows.map((row) => names.map((name) => row[name])),
  );
}
