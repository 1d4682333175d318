import type { UserEvent } from "#contracts/domain-events/user-events.ts";
import type { NotifiedEvent } from "#contracts/notifications/notice.ts";
import type { ClaimedNotification } from "#infra/brokers/notifications.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { EventLog, Position } from "#infra/log/event-log.ts";

const PAGE = 500;

/**
 * The event of a notification.
 * @throws Error when the log does not have it at its place
 */
export async function readNotifiedEvent(
  log: Pick<EventLog, "read">,
  { noticeId, stream, revision }: ClaimedNotification,
): Promise<{ event: NotifiedEvent; position: Position }> {
  const [recorded] = await log.read(stream, revision, 1);
  if (recorded?.id !== noticeId) throw new Error(`the log has no event ${noticeId} at its place`);
  return { event: fromRecorded(recorded) as NotifiedEvent, position: recorded.position };
}

/** The submission of the reviewed role request, in the same stream; null without one. */
export async function findSubmission(
  log: Pick<EventLog, "read">,
  stream: string,
  roleRequestId: string,
): Promise<Extract<UserEvent, { type: "RoleRequestSubmitted" }> | null> {
  for (let from = 0; ; from += PAGE) {
    const page = await log.read(stream, from, PAGE);
    for (const recorded of page.filter(({ type }) => type === "RoleRequestSubmitted")) {
      const event = fromRecorded(recorded);
      if (event.type === "RoleRequestSubmitted" && event.data.roleRequestId === roleRequestId) {
        return event;
      }
    }
    if (page.length < PAGE) return null;
  }
}
