import { userStream } from "#contracts/events/log.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { TestService } from "../service.ts";

/** How many events the log holds: what is refused writes none. */
export function countLogRows({ log }: Pick<TestService, "log">): Promise<number> {
  return log.count();
}

export type LoggedEvent = { readonly type: string; readonly data: unknown };

/** The events of one account, oldest first. */
export async function eventsOfUser(
  service: Pick<TestService, "log">,
  userId: string,
): Promise<LoggedEvent[]> {
  const log = await service.log.open();
  try {
    return (await log.read(userStream(userId), 0, 1_000)).map(fromRecorded);
  } finally {
    await log.close();
  }
}
