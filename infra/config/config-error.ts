/** A problem with one variable; its name followed by `message` is a sentence. */
export type ConfigProblem = { readonly variable: string; readonly message: string };

/**
 * The environment is not a valid configuration. The message names all wrong variables and shows no
 * values.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const sentences = problems.map(({ variable, message }) => `${variable} ${message}`);
    super(`The configuration is not valid: ${sentences.join("; ")}`);
    this.problems = problems;
  }
}
