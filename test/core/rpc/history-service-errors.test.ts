import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { NoHistory } from '../../../core/history/no-history.ts';
import { failure, unary } from './answer.ts';
import { named, served } from './served-history.ts';

test('the methods of HistoryService need credentials, and each request counts against the daily quota', async t => {
  const { client, metadata, used } = await served(t);
  const refused = await failure(done => client.getUptime(named, done));
  assert.equal(refused.ours?.code, 'AUTH_1');
  assert.equal(used(), 0);
  await unary(done => client.getUptime(named, metadata, done));
  assert.equal(used(), 1);
});

test('the methods of HistoryService fail with SERVER_1 for a server that is not tracked, and with QUERY_1 for a malformed address', async t => {
  const { client, metadata } = await served(t);
  const askFor = (change: Partial<typeof named>) =>
    failure(done => client.listIncidents({ ...named, ...change }, metadata, done));
  for (const change of [{ server: '1.2.3.4:27015' }, { gameId: 'css' }, { gameId: '' }]) {
    const { code, ours } = await askFor(change);
    assert.deepEqual([code, ours?.code], [status.NOT_FOUND, 'SERVER_1']);
  }
  const { ours } = await askFor({ server: 'here' });
  assert.deepEqual([ours?.code, ours?.details.violations?.[0]?.path], ['QUERY_1', 'server']);
});

test('the methods of HistoryService fail with QUERY_1 if a parameter is not valid, and the error contains the parameter', async t => {
  const { client, metadata } = await served(t);
  const step = await failure(done => client.getHistoryJson({ ...named, step: '1s' }, metadata, done));
  const window = await failure(done => client.getUptimeJson({ ...named, window: '1s' }, metadata, done));
  const token = await failure(done => client.listIncidentsJson({ ...named, pageToken: 'x' }, metadata, done));
  const paths = [step, window, token].map(({ ours }) => [ours?.code, ours?.details.violations?.[0]?.path]);
  assert.deepEqual(paths, [
    ['QUERY_1', 'step'],
    ['QUERY_1', 'window'],
    ['QUERY_1', 'page_token'],
  ]);
});

test('the methods of HistoryService fail with CORE_1 and a retry delay if the history cannot be read', async t => {
  const unreadable = () => Promise.reject(new NoHistory('The disk failed.'));
  const { client, metadata } = await served(t, { hours: unreadable });
  const { ours } = await failure(done => client.getUptime({ ...named, window: '1h' }, metadata, done));
  assert.equal(ours?.code, 'CORE_1');
  assert.ok(ours?.details.retryAfterSeconds);
});
