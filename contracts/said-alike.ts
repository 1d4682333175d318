const NUMBER = /[-+\u2212]?\d+(?:\.\d+)?(?:e[-+]?\d+)?/gi;

/** The same text for messages that say the same of different rows: but for the numbers in it. */
export function saidAlike(message: string): string {
  return message.replaceAll(NUMBER, "#");
}
