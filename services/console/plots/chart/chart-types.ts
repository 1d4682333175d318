import type { Scale } from "./scale.ts";

export type Axis = Scale & {
  readonly label: string;
  /** Of values at marks, where numbers alone do not tell enough. */
  readonly text?: (value: number) => string;
};

/** A value by another; null where it is not known, which a line leaves open. */
type Point = readonly [x: number, y: number | null];

type Named = {
  /** Stands in the legend. */
  readonly name?: string;
  /** Which of the colours of series, or a colour. */
  readonly colour: 0 | 1 | 2 | 3 | "ink" | `rgb(${string})`;
};

export type Mark =
  | (Named & {
      readonly kind: "line";
      readonly points: readonly Point[];
      readonly isDashed?: boolean;
      readonly hasDots?: boolean;
    })
  /** What lies between two lines. */
  | (Named & {
      readonly kind: "band";
      readonly points: readonly (readonly [x: number, low: number | null, high: number | null])[];
    })
  | (Named & {
      readonly kind: "bars";
      readonly bars: readonly (readonly [from: number, to: number, y: number])[];
    })
  /** Diameters in pixels. */
  | (Named & {
      readonly kind: "discs";
      readonly points: readonly Point[];
      readonly diameters?: ArrayLike<number>;
      readonly isHollow?: boolean;
    })
  /** A line across the panel at a value of x. */
  | (Named & { readonly kind: "rule"; readonly x: number })
  /** A picture of the panel, which reaches so many pixels over its edges. */
  | { readonly kind: "image"; readonly href: string; readonly reach: number };

export type Panel = {
  readonly y: Axis;
  /** Pixels. */
  readonly height: number;
  readonly marks: readonly Mark[];
  /** Further entries of the legend. */
  readonly legend?: readonly Required<Pick<Named, "name" | "colour">>[];
};

/** Panels above each other along one axis. */
export type Chart = {
  readonly title: string;
  readonly x: Axis;
  readonly panels: readonly Panel[];
  /** What is drawn of which events, below the picture. */
  readonly notes: readonly string[];
};

/** A list of an answer as a table; all columns but those of texts are numbers. */
export type Table = {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many columns from the left are texts. */
  readonly texts: number;
};

/** What is drawn of an answer here, where the service has no plot of it. */
export type Drawing = { readonly chart: Chart; readonly table: Table | null };
