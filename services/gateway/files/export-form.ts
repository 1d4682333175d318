import type { FragmentSqlToken } from "slonik";
import type { z } from "zod";
import type { BulletinTable } from "#contracts/bulletin/table-columns.ts";
import { invalid } from "#contracts/errors.ts";
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportQuery,
  type ExportTable,
  TABLE_FORMATS,
} from "#contracts/http/catalogue-export.ts";
import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";
import { tableColumn } from "#projections/read/bulletins.ts";
import { bulletinColumn } from "#projections/read/versions.ts";
import type { FileTask } from "./file-writer.ts";

/** What is written of a catalogue's events, and of what. */
export type ExportForm = {
  /** Of the file's name. */
  readonly extension: string;
  /** The column of bulletins, where the file is made of them. */
  readonly columns: { readonly further?: FragmentSqlToken };
  readonly taskOf: (exported: ExportedCatalogue, count: number) => FileTask;
};

/** What is asked for, beside which events. */
type ExportChoice = Pick<z.output<typeof ExportQuery>, "include" | "detail" | "form"> & {
  readonly format: ExportFormat;
  readonly table: ExportTable;
};

/** @throws Refusal VALIDATION_ERROR for what the format has not */
export function exportForm(choice: ExportChoice): ExportForm {
  requireFit(choice);
  const { format, table, include, detail, form = "valid" } = choice;
  if (table !== "events") return tableForm(format, table);
  const { extension } = EXPORT_FORMATS[format];
  if (format === "isf") {
    const columns = { further: bulletinColumn() };
    return { extension, columns, taskOf: (exported, count) => ({ format, exported, count }) };
  }
  const isWhole = format === "quakeml" && detail !== "summary";
  if (!isWhole && include === undefined) {
    return { extension, columns: {}, taskOf: (exported, count) => ({ format, exported, count }) };
  }
  const whole = { withBulletins: true, ...(isWhole && { form }) } as const;
  return {
    extension,
    columns: { further: bulletinColumn() },
    taskOf: (exported, count) => ({ format, exported, count, ...whole }),
  };
}

/** @throws Refusal VALIDATION_ERROR */
function requireFit({ format, table, include, detail, form }: ExportChoice): void {
  if (include !== undefined && (format !== "json" || table !== "events")) {
    throw invalid("include", "bulletins stand beside the events of json only");
  }
  if (detail !== undefined && format !== "quakeml") throw invalid("detail", "is of quakeml only");
  if (form !== undefined && (format !== "quakeml" || detail === "summary")) {
    throw invalid("form", "is of quakeml in full only");
  }
}

/** @throws Refusal VALIDATION_ERROR for a format without tables */
function tableForm(format: ExportFormat, table: BulletinTable): ExportForm {
  const tableFormat = TABLE_FORMATS.find((known) => known === format);
  if (tableFormat === undefined) {
    throw invalid("table", `other tables than events are in ${TABLE_FORMATS.join(", ")} only`);
  }
  return {
    extension: `${table}.${EXPORT_FORMATS[format].extension}`,
    columns: { further: tableColumn(table) },
    taskOf(exported, count) {
      const { catalogue, version } = exported;
      return { table, tableFormat, count, head: { catalogue, version, table } };
    },
  };
}
