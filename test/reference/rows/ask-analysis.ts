import type { CatalogueName } from "../reference-catalogues.ts";
import type { Check } from "../reference-row.ts";

/** A check of an analysis of one catalogue. */
export const askAnalysis =
  (path: string) =>
  (
    catalogue: CatalogueName,
    query: Readonly<Record<string, string | number>>,
    expect: Check["expect"],
  ): Check => ({
    ask: { path, catalogue, query },
    expect,
  });
