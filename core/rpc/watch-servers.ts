import type { ServerWritableStream } from '@grpc/grpc-js';
import type { CallAccount } from '../../proto/generated/codec/fetch.ts';
import type { WatchServersRequest__Output } from '../../proto/generated/gsq/v1/WatchServersRequest.ts';
import type { WatchServersResponse } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { KeysReader } from '../feed/feed-reader.ts';
import { fetchResponse, serverResult, untrackedResult } from '../render/server-results.ts';
import { countAddresses, type FetchedPair } from '../servers/fetch-request.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { ServerWatch } from '../servers/server-watch.ts';
import { type ChangeMessages, ChangeStream, HEARTBEAT_MS } from './change-stream.ts';
import { accessWatch, admitCall, allowanceMetadata, chargeFetch, countPairs } from './fetch-call.ts';
import type { ServerServiceDependencies } from './server-dependencies.ts';
import { endOrRefusal, streamEnd } from './stream-end.ts';
import { writeAndWait } from './stream-writer.ts';
import type { WatchSlots } from './watch-slots.ts';

type WatchCall = ServerWritableStream<WatchServersRequest__Output, WatchServersResponse>;
type Pairs = ReadonlyMap<string, readonly FetchedPair[]>;

const NEEDS_ONLY_CHANGES = new ServiceError('QUERY_1', 'resume_token works only with only_changes.', {
  violations: [{ path: 'resume_token', message: 'set only_changes, or leave resume_token out' }],
});

/** Creates the handler of the gRPC method WatchServers. */
export function watchServers(dependencies: ServerServiceDependencies, slots: WatchSlots) {
  const { authenticator, fetch, proxied, trusted, closing } = dependencies;
  return async (call: WatchCall, account: CallAccount): Promise<void> => {
    const { servers, onlyChanges, resumeToken } = call.request;
    // Begins to listen for the end of the stream. This must happen before the first `await`. Otherwise the caller could
    // end the stream during an `await`, and gsq would not notice.
    const ended = streamEnd(call, closing);
    const admission = await admitCall(authenticator, call, proxied, trusted);
    const { id } = admission.token;
    account.tokenId = id;
    account.addresses = countAddresses(servers);
    if (resumeToken !== '' && !onlyChanges) throw NEEDS_ONLY_CHANGES;
    const releaseSlot = slots.acquireSlot({ limitKey: id, isStranger: false });
    try {
      chargeFetch(admission, account.addresses);
      const left = allowanceMetadata(admission.allowances());
      if (left) call.sendMetadata(left);
      const fetched = await fetch.fetch(servers, id, 0);
      countPairs(account, fetched);
      const pairs = byKey(fetched);
      const over = endOrRefusal(ended, accessWatch(authenticator, call, id, proxied, trusted));
      await (onlyChanges
        ? sendChanges(dependencies, call, fetched, pairs, over)
        : sendProbes(dependencies, call, fetched, pairs, over));
    } finally {
      releaseSlot();
    }
  };
}

/**
 * Sends a snapshot of the servers that a stream follows. Then sends the state of a server after each of its probes,
 * until the stream ends.
 */
async function sendProbes(
  dependencies: ServerServiceDependencies,
  call: WatchCall,
  fetched: readonly FetchedPair[],
  pairs: Pairs,
  over: Promise<void>,
): Promise<void> {
  const records = [...pairs.values()].flatMap(([pair]) => pair?.record ?? []);
  const watch = new ServerWatch(dependencies.source.probesAfter(records), [...pairs.keys()]);
  try {
    // `writeProbes` can still be running after the stream has ended. This is harmless, because `writeAndWait` sends
    // nothing to an ended stream.
    await Promise.race([over, writeProbes(dependencies, call, fetched, pairs, watch)]);
  } finally {
    watch.close();
  }
}

async function writeProbes(
  { freshness, now }: ServerServiceDependencies,
  call: WatchCall,
  fetched: readonly FetchedPair[],
  pairs: Pairs,
  watch: ServerWatch,
): Promise<void> {
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
}

/**
 * Sends a snapshot of the servers that a stream follows, or the changes since the caller's resume token. Then sends
 * each change of a visible field, such as the status, the players or the map.
 */
async function sendChanges(
  dependencies: ServerServiceDependencies,
  call: WatchCall,
  fetched: readonly FetchedPair[],
  pairs: Pairs,
  over: Promise<void>,
): Promise<void> {
  const { source, heartbeatMs = HEARTBEAT_MS } = dependencies;
  const { feed } = source;
  const keys = [...pairs.keys()];
  const closeSource = await source.open();
  try {
    await new ChangeStream({
      call,
      over,
      feed,
      follow: (since, wake) => new KeysReader(feed, keys, since, wake),
      messages: changeMessages(dependencies, fetched, pairs),
      resumeToken: call.request.resumeToken,
      heartbeatMs,
    }).run();
  } finally {
    closeSource();
  }
}

function changeMessages(
  { source, freshness, now }: ServerServiceDependencies,
  fetched: readonly FetchedPair[],
  pairs: Pairs,
): ChangeMessages<WatchServersResponse> {
  const changesOf = (key: string, record: ServerRecord | undefined, token: string, previous: string) => {
    const named = pairs.get(key) ?? [];
    return named.map((pair, i) => ({
      change: record ? serverResult(pair, record, now(), freshness) : untrackedResult(pair),
      resumeToken: i === named.length - 1 ? token : previous,
    }));
  };
  return {
    async *snapshot(resumeToken) {
      // Reads the newest records of the followed servers. The records in `fetched` were read at the start of the
      // stream, so they may be out of date.
      const newestOf = await source.lookUp([...pairs.keys()]);
      const newest = fetched.map(pair => {
        const record = pair.record && (newestOf(pair.record.key) ?? pair.record);
        return record ? { ...pair, record } : pair;
      });
      yield [{ snapshot: fetchResponse(newest, now(), freshness), resumeToken: resumeToken() }];
    },
    change(key, token, previous) {
      const record = source.recordOf(key);
      return record instanceof Promise
        ? record.then(read => changesOf(key, read, token, previous))
        : changesOf(key, record, token, previous);
    },
    heartbeat: resumeToken => ({ heartbeat: {}, resumeToken }),
  };
}

/**
 * Groups the pairs of game and address in a fetch by server, because several pairs can mean the same server. Leaves out
 * pairs without a server record. The keys of the returned map are `serverKey`s.
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
