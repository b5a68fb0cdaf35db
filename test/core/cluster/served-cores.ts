import type { Http2Session } from 'node:http2';
import type { TestContext } from 'node:test';
import type { Server, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Member, Ownership } from '../../../core/cluster/ownership.ts';
import { Peers } from '../../../core/cluster/peers.ts';
import { createInternalServer, listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { prepareHttp2 } from '../../../core/rpc/http2-server.ts';
import { internalGuard } from '../../../core/rpc/internal-guard.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { ClusterServiceHandlers } from '../../../proto/generated/gsq/v1/ClusterService.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { destroySession } from '../../http2-session.ts';

const SECRET = 'the secret of the test cluster';

/** Creates the gRPC methods that one core of the test serves. */
export type CoreMethods = (handlers: Handlers) => Partial<ClusterServiceHandlers>;

/** The members of a test cluster, and the listeners that are called when the members change. */
class TestMembers {
  readonly listeners = new Set<() => void>();
  list: Member[] = [];

  /**
   * Returns a fake `Ownership` object for the core with this index in the list of members. No core owns any bucket
   * (group of servers).
   */
  ownershipOf(index: number): Ownership {
    const self = this.list[index] as Member;
    const members = (): readonly Member[] => this.list;
    return {
      self,
      get members() {
        return members();
      },
      lead: self,
      isValid: true,
      owns: () => false,
      ownerOf: () => undefined,
      refresh: () => {},
      watch: listener => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
      start: () => {},
    };
  }
}

/**
 * Starts the internal gRPC server of several test cores. Each function in `cores` creates the gRPC methods of one core.
 * Returns the connections from each core to the other cores.
 */
export async function servedCores(t: TestContext, cores: readonly CoreMethods[]) {
  const members = new TestMembers();
  const servers: Server[] = [];
  const sessions = cores.map(() => new Set<Http2Session>());
  const defects: unknown[] = [];
  for (const [i, methods] of cores.entries()) {
    const server = createInternalServer();
    prepareHttp2(server, http2Server => http2Server.on('session', session => sessions[i]?.add(session)));
    const handlers = new Handlers(internalGuard(SECRET), error => defects.push(error));
    server.addService(gsqV1.ClusterService.service, methods(handlers) as UntypedServiceImplementation);
    const endpoint = await listen(server, 'GSQ_INTERNAL_ADDR', { host: '127.0.0.1', port: 0 });
    members.list.push({ id: `core-${i}`, address: formatEndpoint(endpoint) });
    servers.push(server);
  }
  const peers = cores.map(
    (_, i) => new Peers({ ownership: members.ownershipOf(i), secret: SECRET, security: () => undefined }),
  );
  t.after(() => {
    for (const each of peers) each.close();
    for (const server of servers) server.forceShutdown();
  });
  return {
    peers,
    /** Unexpected errors of the gRPC handlers. Callers must not see these errors. */
    defects,
    /**
     * Kills a core. The core stays in the list of members. In a real cluster, too, a dead core stays in the list until
     * its lease ends.
     */
    async kill(index: number): Promise<void> {
      servers[index]?.forceShutdown();
      await Promise.all([...(sessions[index] ?? [])].map(destroySession));
    },
    /** Removes a core from the list of members, and notifies the other cores. */
    remove(index: number): void {
      members.list = members.list.filter(({ id }) => id !== `core-${index}`);
      for (const listener of members.listeners) listener();
    },
  };
}
