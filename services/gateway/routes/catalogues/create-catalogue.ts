import { z } from "zod";
import { ApiError } from "#contracts/errors.ts";
import type { ValidationReport } from "#contracts/http/catalogues.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { catalogueById } from "#projections/queries/catalogue-queries.ts";
import { createCatalogueCommand } from "#services/commands/catalogues/create-catalogue.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { SubmissionReader } from "#services/commands/submission/submission-reader.ts";
import { catalogueName } from "#services/domain/catalogue/name.ts";
import { catalogueTag } from "../../etag.ts";
import type { Handler } from "../../handler.ts";
import { validate } from "../../validate.ts";
import { requireSomeValid } from "../submitted-events.ts";

/** The body without its events; a name that is absent is refused by the domain as missing. */
const Envelope = z.object({
  name: z.string().default(""),
  is_public: z.boolean().default(false),
});

export type CreateCatalogueDeps = {
  readonly commands: CommandContext;
  readonly submissions: Pick<SubmissionReader, "asChunks">;
};

export function createCatalogueHandler({
  commands,
  submissions,
}: CreateCatalogueDeps): Handler<Operations["createCatalogue"]> {
  return async ({ body, command }) => {
    const { envelope, report, content } = await submissions.asChunks(body);
    const { name, is_public: isPublic } = validate(Envelope, envelope);
    const wanted = { name: catalogueName(name), isPublic, cause: "created" } as const;
    const validationReport = requireSomeValid(report);
    const id = await createCatalogueCommand(commands, command, wanted, {
      ...content,
      updated: 0,
      removed: 0,
    });
    const catalogue = await catalogueById(commands.pool, id);
    if (catalogue === null) throw new ApiError("NOT_FOUND", "The catalogue was deleted meanwhile");
    return {
      body: {
        ...catalogue,
        importMessage: importMessage(validationReport),
        partialImport: validationReport.failedValidation > 0,
        validationReport,
      },
      headers: { location: `/api/catalogues/${id}`, etag: catalogueTag(catalogue) },
    };
  };
}

function importMessage(report: ValidationReport): string {
  const { totalSubmitted, successfullyImported, failedValidation } = report;
  if (failedValidation === 0) return `Imported ${successfullyImported} events`;
  return `Imported ${successfullyImported} of ${totalSubmitted} events; ${failedValidation} failed validation`;
}
