/** What gives a service under test this administrator, and no limit of rates. */
export function unlimitedFor(admin: { readonly email: string; readonly password: string }) {
  return {
    CREATE_ADMIN_USER: "true",
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    RATE_LIMIT_READ: "0",
    RATE_LIMIT_CLIENTS: "0",
    RATE_LIMIT_WRITE: "0",
    RATE_LIMIT_AUTH: "0",
  };
}
