import { EventMetadata } from "#contracts/domain-events/log-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { emailStream } from "#contracts/names.ts";
import { forgetUser, readPersonalKey } from "#infra/vault/credentials.ts";
import {
  closeForgotten,
  closeUnfinished,
  evolveReservation,
  FREE,
  type ReservationEvent,
  type ReservationState,
  releaseEmail,
  reserveEmail,
} from "#services/domain/accounts/account.ts";
import type { Command, CommandContext } from "../context.ts";
import { type DecisionOptions, decideOnStream } from "../decide-on-stream.ts";
import { type DecisionModel, loadState } from "../load-state.ts";
import type { FailedRegistrations } from "./account-context.ts";
import { decideOnAccount } from "./account-decision.ts";

/** Folds the stream of an email address. */
const reservationModel: DecisionModel<ReservationState, ReservationEvent> = {
  initial: FREE,
  evolve: evolveReservation,
};

export type EmailReservation = {
  readonly emailHmac: string;
  readonly userId: string;
  /** Age at which a reservation without an account counts as abandoned. */
  readonly unfinishedMs: number;
  /** Users whose reservations count as abandoned at any age. */
  readonly failed?: FailedRegistrations | undefined;
};

/**
 * Reserves an address for a user, including one reserved by an abandoned registration.
 * @throws Refusal CONFLICT when the address belongs to another
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
    // Most addresses in registrations are new.
    await reserve(null, { isNew: true });
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const holder = await leftBehind(context, { emailHmac, unfinishedMs, failed });
    if (holder === null) throw refusal;
    await closeAccount(context, command, holder);
    await reserve(holder.userId);
  }
}

/** A user whose address may be taken; `isForgotten` when the user's key was lost. */
type Holder = { readonly userId: string; readonly isForgotten: boolean };

/**
 * The holder of the address, if the reservation comes from an abandoned, unfinished registration or
 * from an account without a key: a registration stores the key before it reserves the address.
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
  // Clocks of two processes differ, so a negative age counts as 0.
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

/** Frees the address of a deleted account, unless it is free or belongs to another already. */
export async function releaseEmailAddress(
  context: Pick<CommandContext, "log" | "now">,
  command: Command,
  { emailHmac, userId }: { readonly emailHmac: string; readonly userId: string },
): Promise<void> {
  await decideOnStream(context, command, emailStream(emailHmac), reservationModel, (state) =>
    releaseEmail(state, { emailHmac, userId }),
  );
}
