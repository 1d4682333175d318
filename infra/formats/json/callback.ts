const SPACE = 32;
const MARK = 0xfeff;
/** More than a call and the blanks in it have. */
const MAX_CALL = 256;
/** JSON as a script: a function's name, and the bracket before its argument. */
const CALLBACK = /^[\w$.]{1,100}\s{0,10}\((?=\s{0,100}[{[])/;

/** How much of a text that begins with a function's call comes before its argument; 0 for others. */
export function callbackLength(text: string): number {
  const start = leadingBlanks(text);
  const call = CALLBACK.exec(text.slice(start, start + MAX_CALL))?.[0];
  return call === undefined ? 0 : start + call.length;
}

/** The length of the blanks in front, and of the mark that begins each text of a sequence (RFC 8142). */
export function leadingBlanks(text: string): number {
  let at = 0;
  while (at < text.length && (text.charCodeAt(at) <= SPACE || text.charCodeAt(at) === MARK)) at++;
  return at;
}
