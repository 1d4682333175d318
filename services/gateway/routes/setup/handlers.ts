import { room } from "../../http/room.ts";
import {
  createFirstAdministratorHandler,
  loadSampleHandler,
  loadSetupSampleHandler,
} from "./setup.ts";

export const handlersOfSetup = room({
  loadSetupSample: loadSetupSampleHandler,
  createFirstAdministrator: createFirstAdministratorHandler,
  loadSample: loadSampleHandler,
});
