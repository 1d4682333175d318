/** Entry point of the threads for large bulletins: to parse or write one takes a second. */

import { workerTask } from "#infra/threads/task.ts";
import { type ChangeTask, type CompareTask, changeStored, compareStored } from "./stored.ts";

export const changeOf = workerTask((task: ChangeTask) => changeStored(task));

export const changesBetween = workerTask((task: CompareTask) => compareStored(task));
