/** Entry point of the threads that write exports: a large file must not block other requests. */
import { type Link, workerStream } from "#infra/threads/task.ts";
import { createFileWriter, type FileTask } from "./file-writer.ts";

/** Makes pieces of the file from pieces of row text. */
export const writeFile = workerStream(async function* (
  task: FileTask,
  { input }: Pick<Link, "input">,
): AsyncGenerator<string[], void> {
  const writer = createFileWriter(task);
  for await (const bytes of input) yield writer.take(bytes);
  yield [writer.end()];
});
