import { type Dialect, splitUnquoted } from "./dialect.ts";
import { type Fields, parseQuotedRecords } from "./field-parser.ts";
import { createRecordCutter } from "./record-cutter.ts";

/** Records that wait at most, in number and in characters, before csv-parse reads those in quotes. */
const MAX_WAITING = 1024;
const MAX_WAITING_LENGTH = 1024 * 1024;

export type RecordSink = {
  readonly record: (fields: readonly string[], line: number) => void;
  readonly fault: (line: number, message: string) => void;
};

export type RecordReader = {
  readonly write: (text: string) => void;
  readonly end: () => void;
};

type Waiting =
  | { readonly kind: "read"; readonly line: number; readonly result: Fields }
  | { readonly kind: "quoted"; readonly line: number; readonly text: string };

/** Cuts text into records and tells their fields in order. */
export function createRecordReader(
  dialect: Dialect,
  firstLine: number,
  sink: RecordSink,
): RecordReader {
  /** Empty unless a record in quotes waits to be read with its like: what follows waits behind it. */
  let waiting: Waiting[] = [];
  let waitingLength = 0;

  function drain(): void {
    const batch = waiting;
    waiting = [];
    waitingLength = 0;
    const quoted = batch.flatMap((item) => (item.kind === "quoted" ? [item.text] : []));
    const parsed = parseQuotedRecords(quoted, dialect).values();
    for (const item of batch) {
      const result = item.kind === "read" ? item.result : parsed.next().value;
      if (result !== undefined) tell(result, item.line);
    }
  }

  function tell(result: Fields, line: number): void {
    if ("fields" in result) sink.record(result.fields, line);
    else sink.fault(line, result.fault);
  }

  function wait(item: Waiting, length: number): void {
    waiting.push(item);
    waitingLength += length;
    if (waiting.length >= MAX_WAITING || waitingLength >= MAX_WAITING_LENGTH) drain();
  }

  const cutter = createRecordCutter(dialect, firstLine, {
    record(text, line, quoted) {
      if (quoted) {
        wait({ kind: "quoted", line, text }, text.length);
        return;
      }
      const fields = splitUnquoted(text, dialect.delimiter);
      if (waiting.length === 0) sink.record(fields, line);
      else wait({ kind: "read", line, result: { fields } }, text.length);
    },
    fault(line, message) {
      if (waiting.length === 0) sink.fault(line, message);
      else wait({ kind: "read", line, result: { fault: message } }, 0);
    },
  });

  return {
    write(text) {
      cutter.write(text);
      drain();
    },
    end() {
      cutter.end();
      drain();
    },
  };
}
