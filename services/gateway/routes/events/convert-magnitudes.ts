import { KNOWN_CONVERSIONS } from "#contracts/merge/known-conversions.ts";
import {
  convertMagnitudesCommand,
  type MagnitudesConverted,
} from "#services/commands/conversions/converter.ts";
import { resolvedConversions } from "#services/domain/conversion/convert-magnitude.ts";
import { answerOrStart } from "../../http/answer-or-start.ts";
import { eventsUnchanged, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";

export const listConversionsHandler: MakeHandler<"listConversions", never> = () => async () => ({
  body: { conversions: [...KNOWN_CONVERSIONS] },
});

/** Runs to its end, whether the client waits or not. */
export const convertMagnitudesHandler: MakeHandler<
  "convertMagnitudes",
  "context" | "converter" | "runner"
> =
  ({ context, converter, runner }) =>
  async (call) => {
    const { params, body, command, ifMatch } = call;
    const wanted = {
      catalogueId: params.id,
      conversions: resolvedConversions(body.conversions),
      filters: body.filters ?? {},
      precondition: eventsUnchanged(ifMatch),
    };
    return answerOrStart(runner, call, {
      job: { kind: "convert", unit: "events" },
      work: async (run): Promise<{ body: MagnitudesConverted; headers: { etag: string } }> => {
        const result = await convertMagnitudesCommand({ context, converter }, command, wanted, run);
        return { body: result, headers: { etag: versionTag(result.version) } };
      },
    });
  };
