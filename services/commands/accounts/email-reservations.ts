import { EventMetadata } from "#contracts/domain-events/metadata.ts";
import { Refusal } from "#contracts/errors.ts";
import { emailStream } from "#contracts/names.ts";
import { forgetUser, readPersonalKey } from "#infra/security/vault/credentials.ts";
import { closeForgotten, closeUnfinished } from "#services/domain/account/decide.ts";
import {
  evolveReservation,
  FREE,
  type ReservationEvent,
  type ReservationState,
  releaseEmail,
  reserveEmail,
} from "#services/domain/account/email-reservation.ts";
import type { Command, CommandContext } from "../context.ts";
import {
  type DecisionModel,
  type DecisionOptions,
  decideOnStream,
  loadState,
} from "../decide-on-stream.ts";
import { decideOnAccount } from "./account-decision.ts";
import type { FailedRegistrations } from "./failed-registrations.ts";

/** How the stream of an email address is folded. */
const reservationModel: DecisionModel<ReservationState, ReservationEvent> = {
  initial: FREE,
  evolve: evolveReservation,
};

export type EmailReservation = {
  readonly emailHmac: string;
  readonly userId: string;
  /** How old a reservation without an account must be to count as left behind. */
  readonly unfinishedMs: number;
  /** Users whose reservation was left behind, however young it is. */
  readonly failed?: FailedRegistrations | undefined;
};

/**
 * Reserves an address for a user, also one that a registration which never finished left reserved.
 * @throws Refusal CONFLICT when the address is another's
 */
export async function reserveEmailAddress(
  context: Pick<CommandContext, "log" | "pool" | "now">,
  command: Command,
  { emailHmac, userId, unfinishedMs, failed }: EmailReservation,
): Promise<void> {
  const reserve = (closedHolder: string | null, options?: DecisionOptions) =>
    decideOnStream(
      context,
      command,
      emailStream(emailHmac),
      reservationModel,
      (state) => reserveEmail(state, { emailHmac, userId, closedHolder }),
      options,
    );
  try {
    // Hardly anybody registers an address that somebody else has or had.
    await reserve(null, { isNew: true });
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const holder = await leftBehind(context, { emailHmac, unfinishedMs, failed });
    if (holder === null) throw refusal;
    await closeAccount(context, command, holder);
    await reserve(holder.userId);
  }
}

/** A user who holds an address that may be taken from them; `isForgotten` when their key was lost. */
type Holder = { readonly userId: string; readonly isForgotten: boolean };

/**
 * Who holds the address and has it from a registration that was left behind, unless it was finished, or
 * from an account whose key is gone: a registration keeps the key before it asks for the address.
 */
async function leftBehind(
  { log, pool, now }: Pick<CommandContext, "log" | "pool" | "now">,
  { emailHmac, unfinishedMs, failed }: Omit<EmailReservation, "userId">,
): Promise<Holder | null> {
  const stream = emailStream(emailHmac);
  const { state, revision } = await loadState(log, stream, reservationModel);
  if (state.holder === null) return null;
  const isForgotten = (await readPersonalKey(pool, state.holder)) === null;
  const holder = { userId: state.holder, isForgotten };
  if (isForgotten || failed?.has(state.holder)) return holder;
  const [reserved] = await log.read(stream, revision, 1);
  const { at } = EventMetadata.parse(reserved?.metadata);
  // Clocks of two processes differ: an age below zero is none.
  const ageMs = Math.max(0, now().getTime() - Date.parse(at));
  return ageMs >= unfinishedMs ? holder : null;
}

/** @throws Refusal CONFLICT when the account exists */
async function closeAccount(
  context: Pick<CommandContext, "log" | "pool" | "now">,
  command: Command,
  { userId, isForgotten }: Holder,
): Promise<void> {
  const close = isForgotten ? closeForgotten : closeUnfinished;
  await decideOnAccount(context, command, userId, (state) => close(state, userId));
  await forgetUser(context.pool, userId);
}

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
