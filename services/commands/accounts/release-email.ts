import { emailStream } from "#contracts/names.ts";
import { releaseEmail } from "#services/domain/account/email-reservation.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnStream } from "../decide-on-stream.ts";
import { reservationModel } from "./reservation-model.ts";

/** Frees the address of a deleted account, unless it is free or another's already. */
export async function releaseEmailAddress(
  context: Pick<CommandContext, "log" | "now">,
  command: Command,
  { emailHmac, userId }: { readonly emailHmac: string; readonly userId: string },
): Promise<void> {
  await decideOnStream(context, command, emailStream(emailHmac), reservationModel, (state) =>
    releaseEmail(state, { emailHmac, userId }),
  );
}
