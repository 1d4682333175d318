/** One variable that is wrong; `message` completes the sentence that its name begins. */
export type ConfigProblem = { readonly variable: string; readonly message: string };

/** The environment does not make a configuration. The message names every variable, no value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const sentences = problems.map(({ variable, message }) => `${variable} ${message}`);
    super(`The configuration is not valid: ${sentences.join("; ")}`);
    this.problems = problems;
  }
}
