/** What tests use of oidc-provider, which comes without types. */
declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

  type Grant = {
    addOIDCScope(scopes: string): void;
    addOIDCClaims(claims: readonly string[]): void;
    save(): Promise<string>;
  };

  class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly Grant: new (of: {
      readonly clientId: string;
      readonly accountId: string;
    }) => Grant;
    callback(): RequestListener;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
    ): Promise<void>;
  }

  export { Provider as default };
}

declare module "oidc-provider/lib/adapters/memory_adapter.js" {
  class MemoryAdapter {
    readonly model: string;
    find(id: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  }

  export { MemoryAdapter as default };
}
