import { room } from "../../http/room.ts";
import { listParkedEventsHandler, retryParkedEventsHandler } from "./blocked-subjects.ts";
import { listAuditHandler } from "./list-audit.ts";

export const handlersOfAudit = room({
  listAudit: listAuditHandler,
  listParkedEvents: listParkedEventsHandler,
  retryParkedEvents: retryParkedEventsHandler,
});
