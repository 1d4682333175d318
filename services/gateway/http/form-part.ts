/** One part of a form, in the order of the form; a file is read before the next part comes. */
export type FormPart =
  | { readonly kind: "field"; readonly name: string; readonly value: string }
  | FilePart;

export type FilePart = {
  readonly kind: "file";
  readonly name: string;
  /** As the client names it: not to be used as a path. */
  readonly fileName: string;
  /** To be read once, or skipped. @throws Refusal FILE_TOO_LARGE at its end, VALIDATION_ERROR when it breaks off */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly skip: () => void;
};
