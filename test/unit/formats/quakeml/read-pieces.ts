import { expect } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { ElementTallies } from "#contracts/bulletin/element-counts.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { RowSink } from "#infra/formats/format-reader.ts";
import { createQuakemlReader } from "#infra/formats/quakeml/quakeml-reader.ts";
import { atOnce } from "#infra/kernel/steps.ts";
import { documentOf, eventOf } from "../../../support/formats/quakeml-documents.ts";

export type Told = {
  readonly rows: JsonObject[];
  readonly lines: number[];
  readonly errors: { line: number; message: string }[];
  readonly warnings: { line: number; message: string }[];
  headers: readonly string[];
};

export type ToldWhole = Told & {
  /** One for each row. */
  readonly bulletins: (Bulletin | undefined)[];
  elements: ElementTallies;
};

/** Everything that the reader tells of a document given in one piece, or cut at the given places. */
export function readPieces(text: string, cuts: readonly number[] = []): Told {
  return readAll(piecesOf(text, cuts));
}

/** The first row of an event with this content. */
export function rowOf(content: string, attributes?: string): Record<string, unknown> {
  const told = readPieces(documentOf(eventOf(content, attributes)));
  expect(told.errors).toEqual([]);
  return told.rows[0] ?? {};
}

/** Everything that the reader tells of a document read whole. */
export function readWhole(text: string, cuts: readonly number[] = []): ToldWhole {
  return readWholePieces(piecesOf(text, cuts));
}

export function readWholePieces(pieces: Iterable<string>): ToldWhole {
  const told: ToldWhole = {
    ...{ rows: [], lines: [], errors: [], warnings: [], headers: [] },
    bulletins: [],
    elements: {},
  };
  const reader = createQuakemlReader(
    {
      ...sinkOf(told),
      row(row, line, bulletin) {
        told.rows.push(row);
        told.lines.push(line);
        told.bulletins.push(bulletin);
      },
    },
    { bulletins: true },
  );
  for (const piece of pieces) reader.write(piece);
  const { headers, elements = {} } = atOnce(reader.end());
  return { ...told, headers, elements };
}

/** The bulletin of the first event. */
export function bulletinOf(text: string): Bulletin {
  const { bulletins, errors } = readWhole(text);
  expect(errors).toEqual([]);
  const [bulletin] = bulletins;
  if (bulletin === undefined) throw new Error("the event has no bulletin");
  return bulletin;
}

export function readAll(pieces: Iterable<string>): Told {
  const told: Told = { rows: [], lines: [], errors: [], warnings: [], headers: [] };
  const reader = createQuakemlReader(sinkOf(told));
  for (const piece of pieces) reader.write(piece);
  told.headers = atOnce(reader.end()).headers;
  return told;
}

function sinkOf(told: Told): RowSink {
  return {
    row: (row, line) => {
      told.rows.push(row);
      told.lines.push(line);
    },
    error: (line, message) => told.errors.push({ line, message }),
    warning: (line, message) => told.warnings.push({ line, message }),
  };
}

/** Pieces are never cut inside a surrogate pair (the port's promise). */
function piecesOf(text: string, cuts: readonly number[]): string[] {
  const places = [...cuts, text.length].sort((a, b) => a - b);
  let from = 0;
  return places.map((place) => {
    const to = isLowSurrogate(text, place) ? place + 1 : place;
    const piece = text.slice(from, to);
    from = Math.max(from, to);
    return piece;
  });
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
