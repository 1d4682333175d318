import { FaultyLine } from "../../fixed-columns.ts";
import type { KeptLine } from "../shared/blocks.ts";
import type { Draft } from "../shared/drafts.ts";
import { EMPTY_LOCATION } from "../shared/isf-values.ts";
import type { PhaseLine } from "./event-lines.ts";

/** What the lines of an event's phases make, while they are read. */
export type PhaseParts = {
  readonly eventId: string;
  readonly picks: Draft[];
  readonly amplitudes: Draft[];
  readonly stationMagnitudes: Draft[];
  /** Lines of which the bulletin has no other place. */
  readonly kept: { readonly block: KeptLine; readonly text: string }[];
  /** The pick that an arrival's id means, which is the first with it. */
  readonly pickOf: Map<string, { readonly pick: Draft; readonly source: PhaseLine }>;
  /** Amplitudes that lines of another origin may repeat, by what they say. */
  readonly repeatable: Map<string, { readonly publicID: string; readonly originId: string | null }>;
};

/** What a phase's line says beside the columns that have a place. */
export type PhaseSaid = {
  readonly phase?: string;
  readonly time?: string;
  readonly date?: string;
  readonly id?: string;
  readonly location?: string;
  readonly amplitudeChannel?: string;
  readonly timeWeight?: string;
  readonly backazimuthWeight?: string;
  readonly horizontalSlownessWeight?: string;
};

export function saidIn({ drafts }: PhaseLine): PhaseSaid {
  return (drafts["line"] ?? {}) as PhaseSaid;
}

/** @throws FaultyLine for a line without a station */
export function waveformOf(source: PhaseLine): Draft {
  const given = (source.drafts["pick"]?.["waveformID"] ?? {}) as Draft;
  if (given["stationCode"] === undefined) {
    throw new FaultyLine(source.line.number, "the line of a phase has no station");
  }
  const { location } = saidIn(source);
  return {
    networkCode: "",
    ...given,
    ...(location !== undefined && {
      locationCode: location === EMPTY_LOCATION ? "" : location,
    }),
  };
}
