import { invalid, Refusal } from "#contracts/errors.ts";
import { PLOT_FORMATS, type PlotFormat, type PlotTheme } from "#contracts/http/analytics/plots.ts";
import { BIN_WIDTH } from "#contracts/http/analytics/statistics.ts";
import { citationText } from "#infra/formats/citation.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { PlotName, Plots } from "#infra/plots/charts.ts";
import type { Caption } from "#infra/plots/plot.ts";
import { magnitudesOverTime } from "#projections/read/analytics/magnitudes.ts";
import { versionOf } from "#services/domain/versions.ts";
import { type Handlers, type PartlyWritten, writeBody } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { parametersTag } from "../headers.ts";
import { citedVersion } from "../versions/history.ts";
import { analyse, inputOfAll } from "./analyse.ts";
import { handlersOfAnalytics } from "./handlers.ts";

export function handlersOfPlots(deps: HandlerDeps) {
  const analyses = handlersOfAnalytics(deps);
  return {
    plotMagnitudeFrequency: async (call) => {
      const { by, ...ofFit } = call.query;
      const fit = atOnce(await analyses.getBValue({ ...call, query: ofFit, prefersAsync: false }));
      const { version } = fit.body;
      // Bins need a width also where the fit takes magnitudes as they are.
      const binWidth = call.query.binWidth || BIN_WIDTH.default;
      const query = { ...call.query, asOf: String(version), binWidth };
      const frequency = await analyses.getMagnitudeFrequency({ ...call, query });
      return plotAnswer(deps, call, "magnitude-frequency", { frequency, fit }, version);
    },

    plotCompleteness: async (call) => {
      const direct = { ...call, prefersAsync: false };
      const completeness = atOnce(await analyses.getCompleteness(direct));
      const { version } = completeness.body;
      const { method: _method, ...ofFit } = { ...call.query, asOf: String(version) };
      const goodness = atOnce(
        await analyses.getCompleteness({ ...direct, query: { ...ofFit, method: "gft" } }),
      );
      const stability = atOnce(
        await analyses.getBValue({ ...direct, query: { ...ofFit, series: "mc" } }),
      );
      return plotAnswer(deps, call, "completeness", { completeness, goodness, stability }, version);
    },

    plotRates: async (call) => {
      const rates = await analyses.getRates({ ...call });
      return plotAnswer(deps, call, "rates", { rates }, rates.body.version);
    },

    plotTimeMagnitude: async (call) => {
      const events = await analyse(deps, call, {
        method: "time-magnitude",
        parameters: { events: MOST_EVENTS, largest: LARGEST },
        reference: null,
        find: async (pool, selection) => {
          const shown = { most: MOST_EVENTS, largest: LARGEST };
          const { n, start, end, events, bins } = await magnitudesOverTime(pool, selection, shown);
          return {
            ...(bins && { bins }),
            input: inputOfAll({ count: n, start, end }, selection.filters),
            outcome:
              n === 0
                ? { estimate: null, reason: "no event has a magnitude", n, required: 1 }
                : { estimate: { n } },
            series: events,
            warnings: [],
          };
        },
      });
      const { version } = events.body;
      const query = { ...call.query, asOf: String(version) };
      const fit = atOnce(await analyses.getBValue({ ...call, query, prefersAsync: false }));
      return plotAnswer(deps, call, "time-magnitude", { events, fit }, version);
    },

    plotDepths: async (call) => {
      const depths = await analyses.getDepths({ ...call });
      return plotAnswer(deps, call, "depths", { depths }, depths.body.version);
    },

    plotOmori: async (call) => {
      const omori = await analyses.getOmori({ ...call });
      return plotAnswer(deps, call, "omori", { omori }, omori.body.version);
    },

    plotDensity: async (call) => {
      const density = await analyses.getDensity({ ...call });
      const { estimate, version } = density.body;
      if (estimate !== null && estimate.cells > MOST_CELLS) {
        const message = `there are ${estimate.cells} cells with events, more than ${MOST_CELLS}: take larger ones`;
        throw invalid("cell", message);
      }
      return plotAnswer(deps, call, "density", { density }, version);
    },

    plotNearestNeighbour: async (call) => {
      const neighbours = await analyses.getNearestNeighbours({ ...call });
      const { version } = neighbours.body;
      return plotAnswer(deps, call, "nearest-neighbour", { neighbours }, version);
    },
  } satisfies Partial<Handlers>;
}

/**
 * That are shown as dots; of more these would hide each other, and a part of them would tell of gaps that
 * are none: they are counted by time and magnitude.
 */
const MOST_EVENTS = 3_000;
/** Of more, shown as dots over the numbers of all. */
const LARGEST = 100;

/** Counts the changes of how plots are drawn, which change their entity tags. */
const DRAWING = 3;

/** More would be a picture of tens of megabytes. */
const MOST_CELLS = 20_000;

type Accepted = { readonly operationId: string };

/** The answer of an analysis that was not asked for as an operation. */
function atOnce<A extends { readonly body: object }>(answer: A) {
  return answer as unknown as Omit<A, "body"> & { readonly body: Exclude<A["body"], Accepted> };
}

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

/**
 * Answers analyses of one version as a picture. It is drawn when it is sent, and kept.
 * @throws Refusal NOT_FOUND
 */
async function plotAnswer<N extends PlotName>(
  deps: HandlerDeps,
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
  { versionHistories, publicBaseUrl }: HandlerDeps,
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
