import type { IGossipServer } from "@eventstore/db-client/generated/gossip_grpc_pb.js";
import gossip from "@eventstore/db-client/generated/gossip_pb.js";
import type { IServerFeaturesServer } from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js";
import features from "@eventstore/db-client/generated/serverfeatures_pb.js";
import shared from "@eventstore/db-client/generated/shared_pb.js";

const STREAMS_SERVICE = "event_store.client.streams.streams";
const METHODS = ["read", "append", "batchappend", "delete", "tombstone"];

const SERVER_VERSION = "23.10.0";
const INSTANCE = "3c9d4a2e-59a5-4cb0-9f4e-1d8f1f4f6a10";

/** Tells clients what the server can do. */
export const supportedMethodsRpc: IServerFeaturesServer["getSupportedMethods"] = (_, callback) => {
  const supported = new features.SupportedMethods().setEventStoreServerVersion(SERVER_VERSION);
  for (const name of METHODS) {
    supported.addMethods(
      new features.SupportedMethod().setServiceName(STREAMS_SERVICE).setMethodName(name),
    );
  }
  callback(null, supported);
};

/** Tells clients that look for a cluster of this one server, which leads. */
export function gossipRpc(port: () => number): IGossipServer["read"] {
  return (_, callback) => {
    const member = new gossip.MemberInfo()
      .setInstanceId(new shared.UUID().setString(INSTANCE))
      .setState(gossip.MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(new gossip.EndPoint().setAddress("127.0.0.1").setPort(port()));
    callback(null, new gossip.ClusterInfo().setMembersList([member]));
  };
}
