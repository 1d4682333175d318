/** A body is not JSON, or is JSON that this service refuses; `position` is the byte of the fault. */
export class InvalidJson extends Error {
  override readonly name = "InvalidJson";
  readonly reason: string;
  readonly position: number;

  constructor(reason: string, position: number, options: { cause?: unknown } = {}) {
    super(`${reason} (at byte ${position})`, options);
    this.reason = reason;
    this.position = position;
  }
}
