import { refusalOf, unreachable } from "../../api/call-error.ts";

type Row = Readonly<Record<string, unknown>>;

/** The answer of any analysis (contracts/README.md, Analytics). */
export type Analysis = {
  readonly version: number;
  readonly method: string;
  readonly parameters: Row;
  readonly input: { readonly events: number; readonly withoutMagnitude?: number };
  readonly estimate: Row | null;
  readonly reason?: string;
  readonly bins?: readonly Row[];
  readonly series?: readonly Row[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly reference: string | null;
};

export type AnalysisQuery = Readonly<Record<string, string>>;

/** The address of an analysis, or of its plot with `.svg` or `.png`. */
export function analysisAddress(catalogue: string, name: string, query: AnalysisQuery): string {
  const search = new URLSearchParams(query);
  return `/api/catalogues/${catalogue}/analytics/${name}${search.size > 0 ? `?${search}` : ""}`;
}

/** @throws CallError */
export async function readAnalysis(address: string, signal: AbortSignal): Promise<Analysis> {
  const answer = await fetch(address, { signal }).catch((error: unknown) => {
    throw signal.aborted ? error : unreachable(error);
  });
  if (!answer.ok) throw await refusalOf(answer);
  return answer.json();
}

/** The rows of an answer as CSV: its bins, else its series. */
export function csvOf({ bins, series }: Pick<Analysis, "bins" | "series">): string | null {
  const rows = bins?.length ? bins : (series ?? []);
  const [first] = rows;
  if (!first) return null;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => names.map((name) => cellOf(row[name])).join(","));
  return `${[names.join(","), ...lines].join("\r\n")}\r\n`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
