/** What a reader has to know of a result; the code is stable, the message a sentence without a full stop. */
export type Warning = { readonly code: string; readonly message: string };
