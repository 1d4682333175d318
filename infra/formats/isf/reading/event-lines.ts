import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import type { TextLine } from "../../fixed-columns.ts";
import type { KeptBlock, MechanismPart } from "../shared/blocks.ts";
import type { Drafts } from "../shared/drafts.ts";

/** A line of an origin, a magnitude, a phase or of phase information, with its comments. */
export type NotedLine = {
  readonly line: TextLine;
  readonly drafts: Drafts;
  /** Texts between the parentheses, several lines of one joined by line feeds. */
  readonly comments: string[];
};

/** The lines of one comment of a mechanism: headers, then values. */
export type MechanismLines = { readonly part: MechanismPart; readonly lines: TextLine[] };

export type OriginLine = NotedLine & { readonly mechanisms: MechanismLines[] };

/** `originId` is what a comment before the phase's line says of its origin, null without one. */
export type PhaseLine = NotedLine & { readonly originId: string | null };

/** What the lines from one event's title to the next say. */
export type EventLines = {
  readonly id: string;
  readonly region: string;
  readonly comments: string[];
  readonly origins: OriginLine[];
  readonly magnitudes: NotedLine[];
  readonly phases: PhaseLine[];
  readonly information: NotedLine[];
  readonly kept: { readonly block: KeptBlock; readonly text: string }[];
};

export type Warn = (line: number, message: string) => void;

/** An origin of the bulletin with the line that it comes from. */
export type ReadOrigin = {
  readonly origin: QuakemlObject<"Origin">;
  readonly source: OriginLine;
};
