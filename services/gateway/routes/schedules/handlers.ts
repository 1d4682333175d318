import { room } from "../../http/room.ts";
import {
  createScheduleHandler,
  deleteScheduleHandler,
  getScheduleHandler,
  listSchedulesHandler,
  runScheduleHandler,
  updateScheduleHandler,
} from "./schedules.ts";

export const handlersOfSchedules = room({
  createSchedule: createScheduleHandler,
  listSchedules: listSchedulesHandler,
  getSchedule: getScheduleHandler,
  updateSchedule: updateScheduleHandler,
  deleteSchedule: deleteScheduleHandler,
  runSchedule: runScheduleHandler,
});
