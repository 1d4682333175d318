/** The value of a column of one letter. */
export type CodedValue = string | true;

/**
 * A column of a line, counted from 1, and the place of its value in the bulletin: the reader puts it
 * there, the writer takes it from there. `object` is one of the objects that a line makes (an origin's
 * line an origin and an ellipse); `line` is what the code beside the table understands.
 */
export type Column = {
  readonly from: number;
  readonly to: number;
  readonly kind: "real" | "integer" | "text" | "code";
  readonly object: string;
  /** Members from the object to the value. */
  readonly path: readonly string[];
  /** QuakeML has no place for it: an own foreign element of the object, with the text as it stands. */
  readonly isForeign: boolean;
  /** Digits of the fraction that the format prescribes; fewer where the columns are too narrow. */
  readonly digits?: number;
  /** The power of ten from the column's unit to QuakeML's. */
  readonly places?: number;
  /** The value is to be multiplied by the power of ten that its line names. */
  readonly isScaled?: true;
  readonly codes?: Readonly<Record<string, CodedValue>>;
};

/** `origin.latitude.value` is a member, `origin#reporter` a foreign element. */
function place(at: string): Pick<Column, "object" | "path" | "isForeign"> {
  const isForeign = at.includes("#");
  const [object = "", ...path] = at.split(isForeign ? "#" : ".");
  return { object, path, isForeign };
}

export function text(from: number, to: number, at: string): Column {
  return { from, to, kind: "text", ...place(at) };
}

export function real(from: number, to: number, digits: number, at: string, places = 0): Column {
  return { from, to, kind: "real", digits, places, ...place(at) };
}

/** A number in units of the power of ten that the line names. */
export function scaled(from: number, to: number, digits: number, at: string): Column {
  return { ...real(from, to, digits, at), isScaled: true };
}

export function integer(from: number, to: number, at: string): Column {
  return { from, to, kind: "integer", ...place(at) };
}

export function code(
  from: number,
  at: string,
  codes: Readonly<Record<string, CodedValue>>,
): Column {
  return { from, to: from, kind: "code", codes, ...place(at) };
}

export function nameOf({ path }: Column): string {
  return path.at(-1) ?? "";
}
