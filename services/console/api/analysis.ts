import { type AnswerOf, addressOf, type OperationName, send } from "./call.ts";

type NameIn<O> = O extends `GET /api/catalogues/:id/analytics/${infer Name}` ? Name : never;
type PlotIn<N> = N extends `${infer Name}.:format` ? Name : never;

export type AnalysisName = Exclude<NameIn<OperationName>, `${string}${"/" | ":"}${string}`>;
/** Plots that the service draws. */
export type PlotName = PlotIn<NameIn<OperationName>>;

export type AnswerTo<N extends AnalysisName> = AnswerOf<`GET /api/catalogues/:id/analytics/${N}`>;
export type Analysis = AnswerTo<AnalysisName>;
export type AnalysisQuery = Readonly<Record<string, string>>;

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
