import type { Operations } from "#contracts/http/operations.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { mergeCataloguesCommand } from "#services/commands/merge/merge-catalogues.ts";
import type { Merger } from "#services/commands/merge/merger.ts";
import type { Handler } from "../../handler.ts";

export type MergeDeps = { readonly commands: CommandContext; readonly merger: Merger };

export function mergeCataloguesHandler({
  commands: context,
  merger,
}: MergeDeps): Handler<Operations["mergeCatalogues"]> {
  return async ({ body: { name, sourceCatalogues: sources, config }, command }) => {
    const merged = await mergeCataloguesCommand(
      { context, merger },
      command,
      { name, sources, config },
      { signal: new AbortController().signal, onProgress: () => {} },
    );
    return { body: { success: true, ...merged } };
  };
}
