/** What is wrong with a query. The message begins with the parameter's name. */
export class ParameterFault extends Error {
  override readonly name = "ParameterFault";
  /** The long name, or an unknown name as it was sent. */
  readonly parameter: string;

  constructor(parameter: string, message: string) {
    super(`${parameter}: ${message}`);
    this.parameter = parameter;
  }
}
