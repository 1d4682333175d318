import type { FragmentSqlToken } from "slonik";
import { invalid } from "#contracts/errors.ts";
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportTable,
  TABLE_FORMATS,
} from "#contracts/http/catalogue-export.ts";
import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";
import { tableColumn } from "#projections/queries/bulletins/event-bulletins.ts";
import { bulletinColumn } from "#projections/queries/events/copied-bulletin.ts";
import type { FileTask } from "./file-writer.ts";

/** What is written of a catalogue's events, and of what. */
export type ExportForm = {
  /** Of the file's name. */
  readonly extension: string;
  /** The column of bulletins, where the file is made of them. */
  readonly columns: { readonly further?: FragmentSqlToken };
  readonly taskOf: (exported: ExportedCatalogue, count: number) => FileTask;
};

/**
 * @param include what is beside the events' attributes
 * @throws Refusal VALIDATION_ERROR for a table, or bulletins, in a format that has none
 */
export function exportForm(
  format: ExportFormat,
  table: ExportTable,
  include: "bulletin" | undefined,
): ExportForm {
  const { extension } = EXPORT_FORMATS[format];
  if (include !== undefined) return withBulletins(format, table);
  if (table === "events") {
    return {
      extension,
      columns: format === "isf" ? { further: bulletinColumn() } : {},
      taskOf: (exported, count) => ({ format, exported, count }),
    };
  }
  const tableFormat = TABLE_FORMATS.find((known) => known === format);
  if (tableFormat === undefined) {
    throw invalid("table", `other tables than events are in ${TABLE_FORMATS.join(", ")} only`);
  }
  return {
    extension: `${table}.${extension}`,
    columns: { further: tableColumn(table) },
    taskOf(exported, count) {
      const { catalogue, version } = exported;
      return { table, tableFormat, count, head: { catalogue, version, table } };
    },
  };
}

/** @throws Refusal VALIDATION_ERROR */
function withBulletins(format: ExportFormat, table: ExportTable): ExportForm {
  if (format !== "json" || table !== "events") {
    throw invalid("include", "bulletins stand beside the events of json only");
  }
  return {
    extension: EXPORT_FORMATS[format].extension,
    columns: { further: bulletinColumn() },
    taskOf: (exported, count) => ({ format, exported, count, withBulletins: true }),
  };
}
