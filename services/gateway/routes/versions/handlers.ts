import { room } from "../../http/room.ts";
import { getCitationHandler } from "./citation.ts";
import { getDiffHandler } from "./diff.ts";
import { getVersionHandler } from "./record.ts";
import { restoreVersionHandler } from "./restore.ts";

export const handlersOfVersions = room({
  getVersion: getVersionHandler,
  getCitation: getCitationHandler,
  getDiff: getDiffHandler,
  restoreVersion: restoreVersionHandler,
});
