import type { ApiClient } from "../api-client.ts";
import type { TestRole, TestService } from "../service.ts";

/** A client of the role, which is signed in by its first call: it can be named before the service is there. */
export function clientOf(service: TestService, role: TestRole): ApiClient {
  const client = () => service.loginAs(role);
  return {
    get: async (...call) => (await client()).get(...call),
    head: async (...call) => (await client()).head(...call),
    stream: async (...call) => (await client()).stream(...call),
    send: async (...call) => (await client()).send(...call),
  };
}
