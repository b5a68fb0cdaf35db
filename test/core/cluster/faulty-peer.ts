import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { TestContext } from 'node:test';
import { Server, type ServerDuplexStream } from '@grpc/grpc-js';
import { listen } from '../../../core/rpc/grpc-server.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { ChangeServersRequest__Output } from '../../../proto/generated/gsq/v1/ChangeServersRequest.ts';
import type { ChangeServersResponse } from '../../../proto/generated/gsq/v1/ChangeServersResponse.ts';
import type { FetchPartsRequest__Output } from '../../../proto/generated/gsq/v1/FetchPartsRequest.ts';
import type { FetchPartsResponse } from '../../../proto/generated/gsq/v1/FetchPartsResponse.ts';
import type { PartCall__Output } from '../../../proto/generated/gsq/v1/PartCall.ts';
import type { RenderServersRequest__Output } from '../../../proto/generated/gsq/v1/RenderServersRequest.ts';
import type { RenderServersResponse } from '../../../proto/generated/gsq/v1/RenderServersResponse.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { openCore, openShared } from './cluster-core.ts';
import { FakeCluster } from './fake-ownership.ts';

/** A FetchParts stream at the faulty core (a fake gRPC server). The caller is the real core, which is tested. */
export type PartServerStream = ServerDuplexStream<FetchPartsRequest__Output, FetchPartsResponse>;

/** Answers a call that the real core (which is tested) sends to the faulty core (a fake gRPC server). */
export type AnswerCall = (call: PartCall__Output, stream: PartServerStream) => void;

/** A RenderServers stream at the faulty core (a fake gRPC server). The caller is the real core, which is tested. */
export type RenderServerStream = ServerDuplexStream<RenderServersRequest__Output, RenderServersResponse>;

/** Address of a game server that the faulty core owns. */
export const ADDRESS = '1.2.3.4:27015';
/** Key (`serverKey`) of the game server at `ADDRESS`. */
export const KEY = `csgo ${ADDRESS}`;

/**
 * Starts a cluster of a real core and a faulty core. The faulty core owns all game servers. The faulty core answers
 * calls with `answer`. `deadlineMs`: timeout of the calls of the real core.
 */
export async function withFaultyPeer(t: TestContext, answer: AnswerCall, deadlineMs = 60_000) {
  const peer = new Server();
  const heard = new EventEmitter();
  const messages: FetchPartsRequest__Output[] = [];
  const streams: PartServerStream[] = [];
  const changes: ChangeServersRequest__Output[] = [];
  const renderStreams: RenderServerStream[] = [];
  const peerState = {
    answer,
    render: (_request: RenderServersRequest__Output, _stream: RenderServerStream): void => {},
    change: (_request: ChangeServersRequest__Output): ChangeServersResponse | Error => ({ servers: [] }),
  };
  peer.addService(gsqV1.ClusterService.service, {
    FetchParts(stream: PartServerStream) {
      streams.push(stream);
      stream.on('error', () => {});
      stream.on('end', () => stream.end());
      stream.on('data', (message: FetchPartsRequest__Output) => {
        messages.push(message);
        heard.emit('message');
        for (const call of message.calls) peerState.answer(call, stream);
      });
    },
    RenderServers(stream: RenderServerStream) {
      renderStreams.push(stream);
      stream.on('error', () => {});
      stream.on('end', () => stream.end());
      stream.on('data', (request: RenderServersRequest__Output) => {
        peerState.render(request, stream);
        heard.emit('message');
      });
    },
    ChangeServers(
      { request }: { request: ChangeServersRequest__Output },
      done: (error: Error | null, response?: ChangeServersResponse) => void,
    ) {
      changes.push(request);
      const result = peerState.change(request);
      if (result instanceof Error) done(result);
      else done(null, result);
    },
  });
  const address = formatEndpoint(await listen(peer, 'GSQ_INTERNAL_ADDR', { host: '127.0.0.1', port: 0 }));
  t.after(() => peer.forceShutdown());
  const shared = await openShared(t, { deadlineMs });
  const cluster = new FakeCluster();
  const self = { id: 'core', address: '' };
  const ownership = cluster.join(self);
  const core = await openCore(t, shared, ownership);
  self.address = core.address;
  cluster.members.push({ id: 'peer', address });
  cluster.owners.fill('peer');
  cluster.tellAll();
  const remote = core.cluster;
  assert.ok(remote);
  const insertOwn = () =>
    core.store.insertIfAbsent([{ gameId: 'csgo', address: ADDRESS, insertedBy: 'admin' }]);
  return {
    ...{ peer, peerState, core, cluster, ownership, remote, messages, streams, changes },
    renderStreams,
    /**
     * Makes the real core request the data of a game server from the core that owns this server. By default, this is
     * the faulty core. `server`: address of the game server.
     */
    read: (server = ADDRESS) =>
      remote.fetch('read', [{ gameId: 'csgo', address: server }], '', 0, remote.deadline(0)),
    /** Resolves when the faulty core has received its next message. */
    nextMessage: () => once(heard, 'message'),
    /**
     * Makes the real core the owner of all buckets (groups of servers), and inserts the server at `ADDRESS` into its
     * store. The real core does not know its new buckets before its next `refresh`.
     */
    async takeOver(): Promise<void> {
      cluster.owners.fill('core');
      await insertOwn();
    },
  };
}
