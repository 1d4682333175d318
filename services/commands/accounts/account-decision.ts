import { userStream } from "#contracts/names.ts";
import {
  ABSENT,
  type AccountEvent,
  type AccountState,
  evolveAt,
} from "#services/domain/accounts/account.ts";
import type { Command, CommandContext } from "../context.ts";
import { type Decided, type DecisionOptions, decideOnStream } from "../decide-on-stream.ts";
import { type DecisionModel, loadState } from "../load-state.ts";

const accountModel: DecisionModel<AccountState, AccountEvent> = {
  initial: ABSENT,
  evolve: evolveAt,
};

/** Decides on one account and appends the events. */
export function decideOnAccount(
  context: Pick<CommandContext, "log" | "now">,
  command: Command,
  userId: string,
  decide: (state: AccountState) => readonly AccountEvent[],
  options?: DecisionOptions,
): Promise<Decided<AccountState, AccountEvent>> {
  return decideOnStream(context, command, userStream(userId), accountModel, decide, options);
}

/** The account by the log's present state, independent of the read model. */
export async function loadAccount(
  context: Pick<CommandContext, "log">,
  userId: string,
): Promise<AccountState> {
  const { state } = await loadState(context.log, userStream(userId), accountModel);
  return state;
}
