import type { CatalogueName } from "../reference-catalogues.ts";
import type { Check } from "../reference-row.ts";

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
