/** What examples of bodies name that only a reader's own service has; each stands for one of his. */
export const EXAMPLE = {
  catalogue: "6f1c2a52-0f6e-4b8e-9d43-2f1f6f0f7a10",
  otherCatalogue: "b7a1d9c4-53e2-4f0a-8c6b-91d2e4a3c520",
  /** Of the catalogue. */
  event: "0d9e7b36-7c1a-4e55-a2f8-6b3c5d4e1f30",
  /** Of the other catalogue. */
  otherEvent: "e4c8f1a7-2b6d-4930-b5e1-7a8f9c0d2b40",
  user: "user_1478996576_k41k0r",
  email: "aroha.ngata@example.org",
  password: "twelve quiet kahawai",
  newPassword: "seven loud kererū",
  resetToken: "the token of the link in the mail",
  setupCode: "the code of the link that the start printed",
} as const;
