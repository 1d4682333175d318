import { Refusal } from "#contracts/errors.ts";
import { PLOT_FORMATS, type PlotFormat, type PlotTheme } from "#contracts/http/analytics/plots.ts";
import { citationText } from "#infra/formats/citation.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { Caption } from "#infra/plots/page.ts";
import type { PlotName, Plots } from "#infra/plots/plot.ts";
import { versionOf } from "#services/domain/versions.ts";
import { type PartlyWritten, writeBody } from "../../http/answer-body.ts";
import { parametersTag } from "../../http/headers/etag.ts";
import type { HandlerDeps } from "../make-handler.ts";
import { citedVersion } from "../versions/cited-version.ts";

export type PlotDeps = Pick<
  HandlerDeps,
  "keptAnalyses" | "threads" | "versionHistories" | "publicBaseUrl"
>;

/** What a request for a plot has beside the parameters of its analysis. */
export type PlotCall = {
  readonly params: { readonly id: string; readonly format: PlotFormat };
  readonly asker: Asker;
  readonly query: {
    readonly theme?: PlotTheme | undefined;
    readonly width?: number | undefined;
    readonly scale?: "1" | "2" | undefined;
  };
};

/** An analysis as its own address answers it. */
export type Analysed<B> = {
  readonly body: PartlyWritten<B>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isPublic?: boolean;
};

/** Counts the changes of how plots are drawn, which change their entity tags. */
const DRAWING = 2;

/**
 * Answers analyses of one version as a picture. It is drawn when it is sent, and kept.
 * @throws Refusal NOT_FOUND
 */
export async function plotAnswer<N extends PlotName>(
  deps: PlotDeps,
  { params, query, asker }: PlotCall,
  name: N,
  answers: { readonly [A in keyof Plots[N]]: Analysed<Plots[N][A]> },
  version: number,
) {
  const { id, format } = params;
  const { theme = "light", width } = query;
  const scale = format === "png" ? Number(query.scale ?? 1) : 1;
  const source = await sourceOf(deps, id, version);
  const caption: Caption = { ...source, theme, ...(width !== undefined && { width }) };
  const analysed = Object.entries<Analysed<Plots[N][keyof Plots[N]]>>(answers);
  const tags = analysed.map(([, { headers }]) => headers?.["etag"]);
  const key = JSON.stringify(["plot", DRAWING, name, format, scale, caption, tags]);
  const draw = async (party: Asker) => {
    const written = analysed.map(([answer, { body }]) => [answer, Buffer.concat(writeBody(body))]);
    const task = { name, answers: Object.fromEntries(written), caption, format, scale };
    return {
      base64: Buffer.from(await deps.threads.plots.run("draw", task, party)).toString("base64"),
    };
  };
  return {
    contentType: PLOT_FORMATS[format],
    headers: { etag: parametersTag(version, key) },
    isPublic: analysed.every(([, { isPublic }]) => isPublic === true),
    async *open() {
      const { base64 } = await deps.keptAnalyses.of({ id, version }, key, asker, draw);
      yield Buffer.from(base64, "base64");
    },
  };
}

/** The catalogue's name and how the version is cited; its hash, which can take long, is left out. */
async function sourceOf(
  { versionHistories, publicBaseUrl }: Pick<PlotDeps, "versionHistories" | "publicBaseUrl">,
  catalogueId: string,
  version: number,
): Promise<Omit<Caption, "theme">> {
  const history = await versionHistories.read(catalogueId);
  const entry = history && versionOf(history, version);
  if (!entry) throw new Refusal("NOT_FOUND", "There is no such version");
  const record = { sha256: null, sources: [] };
  const cited = citedVersion(publicBaseUrl, catalogueId, { history, entry, record });
  return { catalogue: history.name, version, citation: citationText(cited).trim() };
}
