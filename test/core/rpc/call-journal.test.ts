import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FetchServersResponse } from '../../../proto/generated/gsq/v1/FetchServersResponse.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { failure, Inbox, unary } from './answer.ts';
import { secretFailure, serving } from './served-handlers.ts';

test('the call journal counts gRPC calls by method and by final status', async t => {
  let end: (answer: FetchServersResponse) => void = () => {};
  const held = new Promise<FetchServersResponse>(resolve => {
    end = resolve;
  });
  const { client, handlers } = await serving(t, ({ waitMs }) => {
    if (waitMs === 1) return secretFailure();
    if (waitMs === 2) throw new ServiceError('RATE_1', 'slowly');
    return held;
  });
  const seconds: number[] = [];
  handlers.journal.watchMethods(method => {
    method.onSeconds = took => seconds.push(took);
  });
  for (const waitMs of [1, 2, 2]) await failure(done => client.fetchServers({ waitMs }, done));
  const answered = unary(done => client.fetchServers({}, done));
  const [journal] = handlers.journal.methods;
  while (journal?.inFlight !== 1) await new Promise(setImmediate);
  end({});
  await answered;
  const inbox = new Inbox<unknown>(client.watchServers({}));
  await inbox.over;
  const counts = [...handlers.journal.methods].map(({ method, inFlight, ended }) => [
    method,
    inFlight,
    [...ended],
  ]);
  assert.deepEqual(counts, [
    [
      'FetchServers',
      0,
      [
        ['OK', 1],
        ['INTERNAL_1', 1],
        ['RATE_1', 2],
      ],
    ],
    [
      'WatchServers',
      0,
      [
        ['OK', 1],
        ['INTERNAL_1', 0],
      ],
    ],
  ]);
  assert.equal(seconds.length, 4, 'the time of a stream is no latency');
});
