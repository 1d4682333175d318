/** The default of a switch over every case of a type: where a further one is forgotten, it does not compile. */
export function unknownCase(value: never): never {
  throw new Error(`unknown case: ${JSON.stringify(value)}`);
}
