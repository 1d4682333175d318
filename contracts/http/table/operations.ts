import { z } from "zod";
import * as accounts from "../accounts.ts";
import * as alerts from "../alerts.ts";
import * as comparison from "../analytics/comparison.ts";
import * as declustering from "../analytics/declustering.ts";
import * as magnitudes from "../analytics/magnitudes.ts";
import * as plots from "../analytics/plots.ts";
import * as statistics from "../analytics/statistics.ts";
import * as audit from "../audit.ts";
import * as bulletins from "../bulletins.ts";
import * as catalogues from "../catalogues.ts";
import * as clients from "../clients.ts";
import * as events from "../events.ts";
import * as exports from "../exports.ts";
import * as following from "../following.ts";
import * as imports from "../imports.ts";
import * as jobs from "../jobs.ts";
import * as merges from "../merges.ts";
import { type Operation, Warnings } from "../operation.ts";
import * as parts from "../parts.ts";
import * as regions from "../regions.ts";
import * as service from "../service.ts";
import * as uploads from "../uploads.ts";
import * as versions from "../versions.ts";

/** What the areas export: their operations, by their ids, and more. */
const exported = {
  ...accounts,
  ...alerts,
  ...audit,
  ...bulletins,
  ...catalogues,
  ...clients,
  ...comparison,
  ...declustering,
  ...events,
  ...exports,
  ...following,
  ...imports,
  ...jobs,
  ...magnitudes,
  ...merges,
  ...parts,
  ...plots,
  ...regions,
  ...service,
  ...statistics,
  ...uploads,
  ...versions,
};

type Exported = typeof exported;
type OperationId = {
  [Id in keyof Exported]: Exported[Id] extends Omit<Operation, "id"> ? Id : never;
}[keyof Exported];

/** All operations of the API: the gateway registers exactly these. */
export type Operations = {
  readonly [Id in OperationId]: Exported[Id] & { readonly id: Id };
};

export const operations = Object.fromEntries(
  Object.entries<unknown>(exported).flatMap(([id, definition]) =>
    isOperation(definition) ? [[id, withWarnings({ ...definition, id })]] : [],
  ),
) as Operations;

function isOperation(value: unknown): value is Omit<Operation, "id"> {
  return typeof value === "object" && value !== null && "answer" in value;
}

/** Answers to a body of JSON tell what of it was not known. */
function withWarnings(operation: Operation): Operation {
  const { method, body, answer, accepted } = operation;
  if (method === "GET" || body === undefined || body === "file") return operation;
  return {
    ...operation,
    answer: telling(answer),
    ...(accepted && { accepted: { ...accepted, schema: telling(accepted.schema) } }),
  };
}

/** Analyses have warnings of their own, and are no writes. */
function telling(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodObject) || "warnings" in schema.shape) return schema;
  return schema.safeExtend({ warnings: Warnings });
}
