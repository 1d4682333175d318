/** Entry point of the threads for large bulletins: to parse or write one takes a second. */

import { workerTask } from "#infra/threads/task.ts";
import { type ChangeTask, changeStored } from "./change-stored.ts";
import { type CompareTask, compareStored } from "./compare-stored.ts";

export const changeOf = workerTask((task: ChangeTask) => changeStored(task));

export const changesBetween = workerTask((task: CompareTask) => compareStored(task));
