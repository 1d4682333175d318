import { room } from "../../http/room.ts";
import {
  fdsnApplicationJsonHandler,
  fdsnCatalogsHandler,
  fdsnContributorsHandler,
  fdsnVersionHandler,
  fdsnWadlHandler,
} from "./documents.ts";
import { fdsnCountHandler, fdsnQueryHandler } from "./query.ts";

export const handlersOfEventService = room({
  fdsnQuery: fdsnQueryHandler,
  fdsnCount: fdsnCountHandler,
  fdsnCatalogs: fdsnCatalogsHandler,
  fdsnContributors: fdsnContributorsHandler,
  fdsnVersion: fdsnVersionHandler,
  fdsnWadl: fdsnWadlHandler,
  fdsnApplicationJson: fdsnApplicationJsonHandler,
});
