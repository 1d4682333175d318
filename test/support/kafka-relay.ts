import { Transform } from "node:stream";
import { startTcpRelay, type TcpRelay } from "./tcp-relay.ts";

const HOST = "127.0.0.1";

/** A broker's address in an answer, as the protocol has it: length and text of the host, then the port. */
const HOST_FIELD = Buffer.concat([Buffer.from([0, HOST.length]), Buffer.from(HOST)]);

/**
 * Stands between clients and the one broker of a cluster: answers name the relay as the broker, so
 * that clients come back to it whatever port the cluster has next.
 */
export function startKafkaRelay(port: () => number): Promise<TcpRelay> {
  return startTcpRelay(port, renaming);
}

/** Puts `port` behind every host of whole answers; each begins with its length in 4 bytes. */
function renaming(port: number): Transform {
  let held = Buffer.alloc(0);
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      held = Buffer.concat([held, bytes]);
      while (held.length >= 4 && held.length >= 4 + held.readUInt32BE(0)) {
        const end = 4 + held.readUInt32BE(0);
        this.push(renamed(held.subarray(0, end), port));
        held = held.subarray(end);
      }
      done();
    },
  });
}

function renamed(given: Buffer, port: number): Buffer {
  const answer = Buffer.from(given);
  for (let at = answer.indexOf(HOST_FIELD); at >= 0; ) {
    const field = at + HOST_FIELD.length;
    if (field + 4 <= answer.length) answer.writeUInt32BE(port, field);
    at = answer.indexOf(HOST_FIELD, field);
  }
  return answer;
}
