import { room } from "../../http/room.ts";
import { beginOpenIdHandler } from "./begin.ts";
import { finishOpenIdHandler } from "./finish.ts";
import { joinOpenIdHandler } from "./join.ts";

export const handlersOfInstitute = room({
  beginOpenId: beginOpenIdHandler,
  finishOpenId: finishOpenIdHandler,
  joinOpenId: joinOpenIdHandler,
});
