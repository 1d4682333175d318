import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "./attributes.ts";
import { emptyRecord, type SeismicEventRecord } from "./seismic-event.ts";

export type ColumnName = keyof SeismicEventRecord;

/** All columns that events can have, in canonical order. */
export const COLUMN_NAMES: readonly ColumnName[] = [
  "time",
  ...ATTRIBUTE_NAMES,
  ...STRUCTURED_NAMES,
];

type RequiredName = "time" | "latitude" | "longitude";

/** A column has one value per row; a column without any value is absent. */
export type Columns = {
  readonly [N in RequiredName]: readonly SeismicEventRecord[N][];
} & {
  readonly [N in Exclude<ColumnName, RequiredName>]?: readonly SeismicEventRecord[N][];
};

/** Events stored by column: `length` rows. */
export type EventColumns = { readonly length: number; readonly columns: Columns };

export type ColumnsBuilder = {
  readonly length: number;
  push(record: SeismicEventRecord): void;
  /** Returns the rows pushed so far and empties the builder. */
  take(): EventColumns;
};

type OpenColumns = { [N in ColumnName]?: SeismicEventRecord[N][] };

/** Collects records into columns. */
export function createColumnsBuilder(): ColumnsBuilder {
  let columns = openColumns();
  let length = 0;

  return {
    get length() {
      return length;
    },
    push(record) {
      for (const name of COLUMN_NAMES) pushValue(columns, name, record[name], length);
      length++;
    },
    take() {
      const rows = { length, columns };
      columns = openColumns();
      length = 0;
      return rows;
    },
  };
}

export function columnsOf(records: Iterable<SeismicEventRecord>): EventColumns {
  const builder = createColumnsBuilder();
  for (const record of records) builder.push(record);
  return builder.take();
}

/**
 * Row `index` as a record.
 * @throws RangeError for a row that does not exist
 */
export function rowAt({ length, columns }: EventColumns, index: number): SeismicEventRecord {
  const time = columns.time[index];
  const latitude = columns.latitude[index];
  const longitude = columns.longitude[index];
  if (time === undefined || latitude === undefined || longitude === undefined) {
    throw new RangeError(`row ${index} is not one of ${length}`);
  }
  const record = emptyRecord({ time, latitude, longitude });
  for (const name of COLUMN_NAMES) setValue(record, name, columns[name]?.[index]);
  return record;
}

function openColumns(): OpenColumns & { time: string[]; latitude: number[]; longitude: number[] } {
  return { time: [], latitude: [], longitude: [] };
}

function pushValue<N extends ColumnName>(
  columns: OpenColumns,
  name: N,
  value: SeismicEventRecord[N],
  length: number,
): void {
  let column = columns[name] as SeismicEventRecord[N][] | undefined;
  if (column === undefined) {
    if (value === null) return;
    column = new Array(length).fill(null);
    columns[name] = column as OpenColumns[N];
  }
  column.push(value);
}

function setValue<N extends ColumnName>(
  record: SeismicEventRecord,
  name: N,
  value: SeismicEventRecord[N] | undefined,
): void {
  if (value !== undefined) record[name] = value;
}
