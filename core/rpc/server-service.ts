import type { ServerDuplexStream, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import type { AddressGroup, FetchCall, FetchRequest } from '../../proto/generated/codec/fetch.ts';
import type { WatchServersRequest__Output } from '../../proto/generated/gsq/v1/WatchServersRequest.ts';
import type { WatchServersResponse } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { fetchResponse, serverResult } from '../render/server-results.ts';
import { TypedAnswer } from '../render/typed-answer.ts';
import { asText, countAddresses, countSpans, type FetchedPair } from '../servers/fetch-request.ts';
import { ServerWatch } from '../servers/server-watch.ts';
import { CallMemories } from './call-memory.ts';
import { admitCall, allowanceMetadata, chargeFetch } from './fetch-call.ts';
import { serveFetchStream } from './fetch-stream.ts';
import type { Handlers } from './handler.ts';
import type { ServerServiceDependencies } from './server-dependencies.ts';
import { streamEnd } from './stream-end.ts';
import { writeAndWait } from './stream-writer.ts';
import { WatchSlots } from './watch-slots.ts';

type WatchCall = ServerWritableStream<WatchServersRequest__Output, WatchServersResponse>;

/** Creates the handlers of ServerService for `serverServiceDefinition`: FetchServers, FetchStream and WatchServers. */
export function serverService(dependencies: ServerServiceDependencies, handlers: Handlers) {
  const { authenticator, fetch, changes, freshness, now, proxied, closing } = dependencies;
  // All calls share this writer. Two answers cannot mix, because no code awaits while it writes an answer.
  const writer = new ByteWriter();
  const slots = new WatchSlots();
  const memories = new CallMemories();

  /**
   * Returns the encoded answer to a fetch. Returns undefined if `findKnown` cannot serve the fetch, for example because
   * a server is not tracked yet.
   */
  const answerKnown = (groups: readonly AddressGroup[]): Buffer | undefined => {
    writer.length = 0;
    const answer = new TypedAnswer(writer, now(), freshness);
    if (!fetch.findKnown(groups, answer)) return undefined;
    answer.end();
    return writer.takeBytes();
  };

  const watchServers = async (call: WatchCall): Promise<void> => {
    const { servers } = call.request;
    // Call `streamEnd` before the first await. If the caller ended the stream during an await, the event would be
    // missed.
    const over = streamEnd(call, closing);
    const admission = await admitCall(authenticator, call, proxied);
    const { id } = admission.token;
    const releaseSlot = slots.acquireSlot(id);
    try {
      chargeFetch(admission, countAddresses(servers));
      await follow(call, await fetch.fetch(servers, id, 0), over);
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
    FetchServers: handlers.unary(async (call: ServerUnaryCall<FetchRequest, Buffer>) => {
      const { groups, waitMs } = call.request;
      const admission = await admitCall(authenticator, call, proxied);
      chargeFetch(admission, countSpans(groups));
      const known = answerKnown(groups);
      const pairs = known ? [] : await fetch.fetch(asText(groups), admission.token.id, waitMs);
      const left = allowanceMetadata(admission.allowances());
      if (left) call.sendMetadata(left);
      return known ?? gsqV1.FetchServersResponse.serialize(fetchResponse(pairs, now(), freshness));
    }),

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
