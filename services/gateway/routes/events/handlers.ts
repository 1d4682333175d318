import { room } from "../../http/room.ts";
import { addEventsHandler } from "./add-events.ts";
import { getArrivalsHandler } from "./arrivals.ts";
import { getBulletinHandler, removeBulletinHandler, setBulletinHandler } from "./bulletin.ts";
import {
  changeEventHandler,
  removeEventHandler,
  removeEventsHandler,
  restoreEventHandler,
} from "./change-event.ts";
import { convertMagnitudesHandler, listConversionsHandler } from "./convert-magnitudes.ts";
import { findDuplicatesHandler } from "./duplicates.ts";
import { getEventColumnsHandler } from "./event-columns.ts";
import { getEventsByIdHandler } from "./events-by-id.ts";
import { filterEventsHandler } from "./filter-events.ts";
import { listEventsHandler } from "./list-events.ts";
import { getEventHandler, getEventHistoryHandler } from "./read-event.ts";
import { addCommentHandler, deleteSolutionHandler, preferSolutionsHandler } from "./solutions.ts";

export const handlersOfEvents = room({
  listEvents: listEventsHandler,
  filterEvents: filterEventsHandler,
  getEventColumns: getEventColumnsHandler,
  findDuplicates: findDuplicatesHandler,
  addEvents: addEventsHandler,
  getEvent: getEventHandler,
  getEventsById: getEventsByIdHandler,
  getEventHistory: getEventHistoryHandler,
  getArrivals: getArrivalsHandler,
  getBulletin: getBulletinHandler,
  setBulletin: setBulletinHandler,
  removeBulletin: removeBulletinHandler,
  preferSolutions: preferSolutionsHandler,
  deleteSolution: deleteSolutionHandler,
  addComment: addCommentHandler,
  changeEvent: changeEventHandler,
  removeEvent: removeEventHandler,
  removeEvents: removeEventsHandler,
  restoreEvent: restoreEventHandler,
  listConversions: listConversionsHandler,
  convertMagnitudes: convertMagnitudesHandler,
});
