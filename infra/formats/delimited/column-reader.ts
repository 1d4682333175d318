import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { normaliseName, saysUnit } from "#contracts/seismic-event/input-names.ts";
import { LONGITUDES_WRAPPED, TURN, wrapLongitude } from "#contracts/seismic-event/longitude.ts";
import { PICK_TIMES } from "#contracts/seismic-event/named-columns.ts";
import { isNumeric } from "#contracts/seismic-event/number-text.ts";
import { clockOf } from "#contracts/seismic-event/written-time.ts";
import type { FileSense } from "../file-sense.ts";
import { isUnknownAtZero } from "../unknown-numbers.ts";
import type { MeantColumn } from "./columns.ts";
import { type NumberColumn, numberCell } from "./number-cell.ts";
import type { CellReader } from "./row-notes.ts";
import { scedcMagnitudeType } from "./scedc.ts";
import {
  codeCell,
  enumerationCell,
  eventTypeCell,
  foreignNumberCell,
  structureCell,
  textCell,
  timeCell,
  unknownCell,
} from "./text-cells.ts";

/** Length limit of texts whose attribute has none of its own. */
const DEFAULT_LENGTH = 255;

/** Properties of a file that all its columns share. */
export type TableTraits = {
  /** Dates have separate columns. */
  readonly splitDate: boolean;
  /** 0 stands for an unknown uncertainty, RMS or gap. */
  readonly zeroIsUnknown: boolean;
  /** Foreign columns with codes that look like numbers. */
  readonly codes: ReadonlySet<string>;
  /** Foreign columns of numbers that may have decimal commas. */
  readonly commas: ReadonlySet<string>;
  readonly isScedc: boolean;
  readonly sense: FileSense;
};

export function columnReader(
  column: string,
  { meaning, places, converts, said }: MeantColumn,
  traits: TableTraits,
): CellReader {
  switch (meaning) {
    case null:
      if (said !== undefined) return numberCell({ column, said });
      if (PICK_TIMES.has(normaliseName(column))) return pickTimeCell(column, traits.sense);
      if (traits.codes.has(column)) return codeCell;
      return traits.commas.has(column) ? foreignNumberCell(column) : unknownCell;
    case "time":
    case "date":
      return timeCell(column, { mayBePart: traits.splitDate, sense: traits.sense, said });
    case "part":
      return partCell(column);
    case "focal_mechanisms":
    case "extra":
    case "source_events":
      return structureCell(column);
    case "event_type":
      return eventTypeCell(column);
    case "longitude":
      return longitudeCell({
        ...ATTRIBUTES.longitude,
        column,
        attribute: meaning,
        max: TURN,
        said,
      });
    case "magnitude_type":
      if (traits.isScedc) return scedcMagnitudeType(column);
      return attributeReader(column, meaning, traits, { places, converts, said });
    default:
      return attributeReader(column, meaning, traits, { places, converts, said });
  }
}

/** A number; an hour may be a whole time of day. */
function partCell(column: string): CellReader {
  const number = numberCell({ column });
  return (text, notes) => (clockOf(text) === null ? number(text, notes) : text.trim());
}

/** From 0 to 360° as from −180 to 180, with a warning. */
function longitudeCell(of: NumberColumn): CellReader {
  const number = numberCell(of);
  return (text, notes) => {
    const longitude = number(text, notes);
    if (typeof longitude !== "number" || longitude <= 180 || longitude > TURN) return longitude;
    notes.warnOnce(of.column, LONGITUDES_WRAPPED);
    return wrapLongitude(longitude);
  };
}

/** A time as of any column of times; numbers stay, which count seconds from 1970. */
function pickTimeCell(column: string, sense: FileSense): CellReader {
  const time = timeCell(column, { mayBePart: false, sense });
  return (text, notes) => (isNumeric(text) ? unknownCell(text, notes) : time(text, notes));
}

type Unit = Pick<MeantColumn, "places" | "converts" | "said">;

/** Limits in the column's unit. */
function limitsIn(name: AttributeName, { places, converts }: Unit): Omit<NumberColumn, "column"> {
  const attribute: Attribute = ATTRIBUTES[name];
  const { min, max, unit } = attribute;
  if (places === 0 || converts) return attribute;
  const scaled = (limit: number | undefined) => limit !== undefined && limit * 10 ** -places;
  const [lowest, highest] = [scaled(min), scaled(max)];
  return {
    ...(lowest !== false && { min: lowest }),
    ...(highest !== false && { max: highest }),
    ...(unit === "km" && places === -3 && { unit: "m" }),
  };
}

function attributeReader(
  column: string,
  name: AttributeName,
  { zeroIsUnknown, sense }: TableTraits,
  of: Unit,
): CellReader {
  const attribute: Attribute = ATTRIBUTES[name];
  switch (attribute.kind) {
    case "number":
    case "integer": {
      const unknownAtZero = zeroIsUnknown && isUnknownAtZero(name);
      const isOpen = name === "depth" && of.said === undefined && !saysUnit(column, name);
      return numberCell({
        ...limitsIn(name, of),
        ...of,
        column,
        attribute: name,
        unknownAtZero,
        sense: isOpen ? sense.depth : undefined,
      });
    }
    case "text":
      return textCell(column, attribute.maxLength ?? DEFAULT_LENGTH);
    case "enumeration":
      return enumerationCell(column, attribute.values ?? []);
  }
}
