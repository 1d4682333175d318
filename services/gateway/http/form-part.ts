/** One part of a form, in order; a file must be read before the next part is available. */
export type FormPart =
  | { readonly kind: "field"; readonly name: string; readonly value: string }
  | FilePart;

export type FilePart = {
  readonly kind: "file";
  readonly name: string;
  /** The client's name for it: not to be used as a path. */
  readonly fileName: string;
  /**
   * Can be read once, or skipped. @throws Refusal FILE_TOO_LARGE at its end, VALIDATION_ERROR when
   * it breaks off
   */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly skip: () => void;
};
