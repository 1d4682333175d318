import { room } from "../../http/room.ts";
import {
  createFirstAdministratorHandler,
  loadSampleHandler,
  loadSetupSampleHandler,
} from "./setup.ts";

/** The handlers of the first set-up. */
export const handlersOfSetup = room({
  loadSetupSample: loadSetupSampleHandler,
  createFirstAdministrator: createFirstAdministratorHandler,
  loadSample: loadSampleHandler,
});
