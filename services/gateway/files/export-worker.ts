/** Entry point of the threads that write exports: a large file must not block other requests. */
import type { MessagePort } from "node:worker_threads";
import { answerPieces } from "#infra/threads/pieces.ts";
import { workerTask } from "#infra/threads/task.ts";
import { createFileWriter, type FileTask } from "./file-writer.ts";

export type ExportTask = FileTask & { readonly port: MessagePort };

/** Answers pieces of row text with pieces of the file. */
export const writeFile = workerTask(async ({ port, ...task }: ExportTask): Promise<void> => {
  const { take, end } = createFileWriter(task);
  await answerPieces(port, { take, end: () => ({ answer: [end()], result: undefined }) });
});
