import { createFileDecoder, type FileDecoder } from "../formats/decode-text.ts";

/** Enough to recognise the encoding (byte order mark, XML declaration) and the content. */
const SAMPLE_BYTES = 1024;

/** Passes on the answer's text, from when there is a sample of it. */
export function createAnswerDecoder(pass: (text: string, isFirst: boolean) => void) {
  let sample: Uint8Array = new Uint8Array();
  let decoder: FileDecoder | null = null;

  function open(): FileDecoder {
    const opened = createFileDecoder(sample.subarray(0, SAMPLE_BYTES));
    pass(opened.write(sample).text, true);
    return opened;
  }

  return {
    write(bytes: Uint8Array): void {
      if (decoder !== null) {
        pass(decoder.write(bytes).text, false);
        return;
      }
      sample = Buffer.concat([sample, bytes]);
      if (sample.length >= SAMPLE_BYTES) decoder = open();
    },
    end(): void {
      decoder ??= open();
      pass(decoder.end().text, false);
    },
  };
}
