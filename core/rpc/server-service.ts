import type { ServerDuplexStream, ServerWritableStream } from '@grpc/grpc-js';
import type { CallAccount, FetchCall } from '../../proto/generated/codec/fetch.ts';
import type { WatchServersRequest__Output } from '../../proto/generated/gsq/v1/WatchServersRequest.ts';
import type { WatchServersResponse } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { fetchResponse, serverResult } from '../render/server-results.ts';
import { countAddresses, type FetchedPair } from '../servers/fetch-request.ts';
import { ServerWatch } from '../servers/server-watch.ts';
import { CallMemories } from './call-memory.ts';
import { admitCall, chargeFetch, countPairs } from './fetch-call.ts';
import { serveFetchStream } from './fetch-stream.ts';
import type { Handlers } from './handler.ts';
import type { ServerServiceDependencies } from './server-dependencies.ts';
import { streamEnd } from './stream-end.ts';
import { writeAndWait } from './stream-writer.ts';
import { jsonFormat, typedFormat, unaryFetch } from './unary-fetch.ts';
import { WatchSlots } from './watch-slots.ts';

type WatchCall = ServerWritableStream<WatchServersRequest__Output, WatchServersResponse>;

/** Creates the handlers of ServerService for `serverServiceDefinition`. */
export function serverService(dependencies: ServerServiceDependencies, handlers: Handlers) {
  const { authenticator, fetch, changes, freshness, now, proxied, trusted, closing } = dependencies;
  const slots = new WatchSlots();
  const memories = new CallMemories();

  const watchServers = async (call: WatchCall, account: CallAccount): Promise<void> => {
    const { servers } = call.request;
    // Call `streamEnd` before the first await. If the caller ended the stream during an await, the event would be
    // missed.
    const over = streamEnd(call, closing);
    const admission = await admitCall(authenticator, call, proxied, trusted);
    const { id } = admission.token;
    account.tokenId = id;
    account.addresses = countAddresses(servers);
    const releaseSlot = slots.acquireSlot(id);
    try {
      chargeFetch(admission, account.addresses);
      const pairs = await fetch.fetch(servers, id, 0);
      countPairs(account, pairs);
      await follow(call, pairs, over);
    } finally {
      releaseSlot();
    }
  };

  /** Sends a snapshot of the servers. Then sends each change of them until the stream ends. */
  const follow = async (call: WatchCall, fetched: readonly FetchedPair[], over: Promise<unknown>) => {
    const pairs = byKey(fetched);
    const watch = new ServerWatch(changes, [...pairs.keys()]);
    over.then(() => watch.close());
    try {
      await writeAndWait(call, { snapshot: fetchResponse(fetched, now(), freshness) });
      for (;;) {
        const records = await watch.next();
        if (records.length === 0) return;
        for (const record of records) {
          for (const pair of pairs.get(record.key) ?? []) {
            await writeAndWait(call, { change: serverResult(pair, record, now(), freshness) });
          }
        }
      }
    } finally {
      watch.close();
    }
  };

  return {
    FetchServers: unaryFetch(dependencies, handlers, typedFormat(dependencies)),

    FetchServersJson: unaryFetch(dependencies, handlers, jsonFormat(dependencies)),

    FetchStream: handlers.bidi((call: ServerDuplexStream<FetchCall[], Buffer>) =>
      serveFetchStream(call, dependencies, handlers, memories),
    ),

    WatchServers: handlers.serverStream(watchServers),
  };
}

/**
 * Groups the valid pairs of game and address in a fetch by the key of their server. Several pairs can mean the same
 * server.
 */
function byKey(pairs: readonly FetchedPair[]): Map<string, FetchedPair[]> {
  const found = new Map<string, FetchedPair[]>();
  for (const pair of pairs) {
    if (!pair.record) continue;
    const same = found.get(pair.record.key);
    if (same) same.push(pair);
    else found.set(pair.record.key, [pair]);
  }
  return found;
}
