import { z } from "zod";
import { CatalogueMetadataInput } from "#contracts/catalogue-metadata.ts";
import { CatalogueAccess, Editing } from "#contracts/catalogue-rights.ts";
import { Refusal } from "#contracts/errors.ts";
import { accessGiven, agree, CreateCatalogueBody, DISAGREE } from "#contracts/http/catalogues.ts";
import { UploadReference } from "#contracts/http/upload.ts";
import type { ValidationReport } from "#contracts/http/validation-report.ts";
import type { Warning } from "#contracts/http/warnings.ts";
import { unknownMembers, validate } from "#infra/json/validation.ts";
import { peek } from "#infra/kernel/iteration.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { catalogueById } from "#projections/read/catalogues.ts";
import { SERVICE } from "#projections/read/rights.ts";
import {
  createCatalogueCommand,
  type NewCatalogue,
} from "#services/commands/catalogues/create-catalogue.ts";
import type { Command } from "#services/commands/context.ts";
import type { ChunkedSubmission } from "#services/commands/submission/submission-reader.ts";
import { catalogueName } from "#services/domain/catalogues/catalogue.ts";
import type { Run } from "#services/jobs/run-job.ts";
import { answerOrStart } from "../../http/answer-or-start.ts";
import { catalogueTag } from "../../http/headers/etag.ts";
import { requireLicense } from "../../http/require-license.ts";
import { reportedChunks } from "../events/reported-chunks.ts";
import { requireEvents, requireSomeValid } from "../events/require-valid-events.ts";
import type { HandlerDeps, MakeHandler } from "../make-handler.ts";

/** The body without its events; an absent name is refused by the domain, as missing. */
const Envelope = z
  .object({
    name: z.string().default(""),
    is_public: z.boolean().optional(),
    access: CatalogueAccess.optional(),
    editing: Editing.default("all"),
    metadata: CatalogueMetadataInput.nullable().default(null),
    ...UploadReference.partial().shape,
  })
  .refine(agree, DISAGREE);

/** The catalogue is made to the end, whether the client waits or not. */
export const createCatalogueHandler: MakeHandler<
  "createCatalogue",
  "context" | "submissions" | "runner" | "keepBody"
> =
  ({ runner, keepBody, ...deps }) =>
  async (call) => {
    const { body, command } = call;
    return answerOrStart(runner, call, {
      job: { kind: "create", unit: "events" },
      keep: () => keepBody(body),
      work: async (run) => createdAnswer(deps, await createFromBody(deps, command, body, run)),
    });
  };

export type CreateDeps = Pick<HandlerDeps, "context" | "submissions">;

type Created = {
  readonly id: string;
  readonly validationReport: ValidationReport;
  readonly warnings: readonly Warning[];
};

async function createdAnswer({ context }: CreateDeps, { id, validationReport, warnings }: Created) {
  const catalogue = await catalogueById(context.pool, id, SERVICE);
  if (catalogue === null) throw new Refusal("NOT_FOUND", "The catalogue was deleted meanwhile");
  return {
    body: {
      ...catalogue,
      importMessage: importMessage(validationReport),
      partialImport: validationReport.failedValidation > 0,
      validationReport,
      ...(warnings.length > 0 && { warnings: [...warnings] }),
    },
    headers: { location: `/api/catalogues/${id}`, etag: catalogueTag(catalogue) },
  };
}

/** Creates a catalogue from a body as it is submitted. */
export function createFromBody(
  { context, submissions }: CreateDeps,
  command: Command,
  body: Buffer,
  run: Run,
): Promise<Created> {
  const source = { bytes: body, owner: command.actor };
  return submissions.asChunks(source, null, run, async (submission) => {
    const id = await createCatalogueCommand(context, command, wantedOf(submission), {
      chunks: await someChunks(submission, run),
      totals: async () => (await submission.end()).changes,
    });
    const validationReport = requireEvents((await submission.end()).report);
    return {
      id,
      validationReport,
      warnings: unknownMembers(CreateCatalogueBody, submission.envelope),
    };
  });
}

function wantedOf({ envelope, count }: ChunkedSubmission): NewCatalogue {
  const wanted = validate(Envelope, envelope);
  const { name, editing, metadata } = wanted;
  requireLicense(metadata);
  requireEvents(count);
  const access = accessGiven(wanted) ?? "internal";
  return { name: catalogueName(name), access, editing, merge: null, metadata };
}

/**
 * Passes the chunks on once there is one, or if no event was submitted.
 * @throws Refusal ALL_EVENTS_INVALID
 */
async function someChunks(
  { chunks, count, end }: ChunkedSubmission,
  run: Run,
): Promise<AsyncIterable<EncodedChunk> | Iterable<EncodedChunk>> {
  const some = await peek(reportedChunks(chunks, count, run));
  if (some === null) requireSomeValid((await end()).report);
  return some ?? [];
}

function importMessage(report: ValidationReport): string {
  const { totalSubmitted, successfullyImported, failedValidation } = report;
  const events = totalSubmitted === 1 ? "event" : "events";
  if (failedValidation === 0) return `Imported ${totalSubmitted} ${events}`;
  return `Imported ${successfullyImported} of ${totalSubmitted} ${events}; ${failedValidation} failed validation`;
}
