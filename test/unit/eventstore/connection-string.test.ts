import fc from "fast-check";
import { expect, test } from "vitest";
import { readEventStoreServers } from "#infra/config/servers.ts";
import { testRows } from "../../support/test-rows.ts";

testRows(
  "the connection string is taken as it is, with credentials that are not sent",
  [
    "esdb://localhost?tls=false",
    "esdb://localhost:2113?tls=false",
    "esdb+discover://cluster.example.org:2113?tls=false&nodePreference=leader",
    "esdb://a:2113,b:2113,c?tls=false&keepAliveInterval=10000",
  ],
  (text) => {
    expect(readEventStoreServers(text)).toMatchObject({ server: text });
  },
);

test("the connection string takes user and password out of the string, decoded", () => {
  expect(readEventStoreServers("esdb://ops:p%40ss%3Aword@h:2113/?tlsCAFile=/certs/ca.crt")).toEqual(
    {
      server: "esdb://h:2113?tlsCAFile=/certs/ca.crt",
      credentials: { username: "ops", password: "p@ss:word" },
      encryption: { servers: [{ host: "h", port: 2113 }], authorityFile: "/certs/ca.crt" },
    },
  );
});

testRows(
  "the connection string is refused",
  [
    ["another scheme", "http://localhost:2113?tls=false"],
    ["no host", "esdb://?tls=false"],
    ["a port that is none", "esdb://h:port?tls=false"],
    ["TLS without a user", "esdb://h:2113"],
    ["TLS without a user, said in full", "esdb://h:2113?tls=true"],
    ["a user without a password", "esdb://ops@h:2113"],
    ["a password that is not encoded", "esdb://ops:p@ss@h:2113"],
    ["an encoding that is none", "esdb://ops:%zz@h:2113"],
    ["an unknown option", "esdb://ops:pass@h:2113?speed=high"],
    ["an option of which the client only warns", "esdb://ops:pass@h:2113?tlsVerifyCert=false"],
    ["an option that changes its answers", "esdb://h?tls=false&throwOnAppendFailure=false"],
    ["a keep-alive below what servers bear", "esdb://h?tls=false&keepAliveInterval=10"],
    ["an option without a value", "esdb://h?tls"],
  ],
  (_, text) => {
    expect(readEventStoreServers(text)).toBeNull();
  },
);

test("the connection string never leaves a password in what the client is given", () => {
  const password = fc.stringMatching(/^[a-z]{8,20}$/);
  fc.assert(
    fc.property(password, (secret) => {
      const read = readEventStoreServers(`esdb://ops:${secret}@db.example:2113`);
      expect(read?.server).not.toContain(secret);
      expect(read?.credentials.password).toBe(secret);
    }),
  );
});
