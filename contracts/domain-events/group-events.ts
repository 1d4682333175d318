import { z } from "zod";

const groupId = z.uuid();
/** User ids, each once. */
const members = z.array(z.string());

/** Events of the stream `group-<id>`, version 1 of each. A group's name tells of nobody. */
export const groupEvents = {
  GroupCreated: z.object({ groupId, name: z.string(), members }),
  GroupRenamed: z.object({ groupId, name: z.string() }),
  /** All members, in the place of those before. */
  GroupMembersChanged: z.object({ groupId, members }),
  GroupDeleted: z.object({ groupId }),
} as const;

type GroupEventType = keyof typeof groupEvents;

export type GroupEventData<T extends GroupEventType> = z.infer<(typeof groupEvents)[T]>;

export type GroupEvent = {
  [T in GroupEventType]: { type: T; data: GroupEventData<T> };
}[GroupEventType];
