import { z } from "zod";
import {
  type BulletinTable,
  columnsOfTable,
  type NamedColumn,
  type TableColumnKind,
} from "../../bulletin/table-columns.ts";
import { asOf } from "../../query/filter-parameters.ts";
import { EventParams } from "../events/event-edits.ts";
import { operation } from "../operation.ts";

const KINDS: Readonly<Record<TableColumnKind, () => z.ZodType>> = {
  text: () => z.string(),
  category: () => z.string(),
  time: () => z.string(),
  number: () => z.number(),
  integer: () => z.int(),
  flag: () => z.boolean(),
};

/** A row of a table in JSON. */
function rowOf(table: BulletinTable) {
  const members = columnsOfTable(table).map((column) => [column.name, schemaOf(column)]);
  return z.object(Object.fromEntries(members) as Record<string, z.ZodType>);
}

function schemaOf({ kind, unit, isRequired }: NamedColumn): z.ZodType {
  const value = KINDS[kind]();
  const schema = isRequired ? value : value.nullable();
  return unit === undefined ? schema : schema.describe(unit);
}

export const getArrivals = operation({
  method: "GET",
  path: "/api/catalogues/:id/events/:eventId/arrivals",
  summary: "The arrivals of one event, with their picks",
  tag: "Events",
  access: "readers",
  alsoAt: [
    { path: "/api/share/:token/events/:eventId/arrivals", access: "share", suffix: "Shared" },
  ],
  rate: "read",
  caching: "revalidated",
  params: EventParams,
  query: z.strictObject({ asOf }),
  success: {
    status: 200,
    schema: z.object({
      version: z.int(),
      rows: z.array(rowOf("arrivals").meta({ id: "Arrival" })),
    }),
    contentTypes: ["application/json; charset=utf-8"],
  },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});
