const USER_ID = /^user_\d+_[0-9a-z]+$/;

/** `user_<milliseconds since 1970>_<suffix>`; the suffix has 9 base-36 digits. */
export function userId(at: Date, suffix: string): string {
  return `user_${at.getTime()}_${suffix}`;
}

export function isUserId(text: string): boolean {
  return USER_ID.test(text);
}
