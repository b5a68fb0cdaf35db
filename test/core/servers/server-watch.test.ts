import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRecord } from '../../../core/servers/record-status.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { ServerWatch } from '../../../core/servers/server-watch.ts';

const a = newRecord('csgo', '1.2.3.4:1', 'tok_1', 1000, 60_000);
const b = newRecord('csgo', '1.2.3.4:2', 'tok_1', 1000, 60_000);
const newer = (record: ServerRecord): ServerRecord => ({ ...record, version: record.version + 1 });

test('ServerWatch.next() waits until a watched server changes', async () => {
  const changes = new ServerChanges();
  const watch = new ServerWatch(changes, [a.key]);
  const next = watch.next();
  changes.publish(b);
  changes.publish(a);
  assert.deepEqual(await next, [a]);
});

test('a slow reader of a ServerWatch gets only the newest record of each server, and only once', async () => {
  const changes = new ServerChanges();
  const watch = new ServerWatch(changes, [a.key, b.key]);
  for (const record of [a, b, newer(a)]) changes.publish(record);
  assert.deepEqual(await watch.next(), [newer(a), b]);
  changes.publish(newer(b));
  assert.deepEqual(await watch.next(), [newer(b)]);
});

test('close() of a ServerWatch ends the current wait, and every later wait, with an empty result', async () => {
  const changes = new ServerChanges();
  const watch = new ServerWatch(changes, [a.key]);
  const next = watch.next();
  watch.close();
  changes.publish(a);
  assert.deepEqual([await next, await watch.next()], [[], []]);
});

test('several listeners can follow the same server, and each can stop without affecting the others', () => {
  const changes = new ServerChanges();
  const heard: string[] = [];
  const stopFirst = changes.follow([a.key, b.key], ({ key }) => heard.push(`first ${key}`));
  const stopSecond = changes.follow([a.key], ({ key }) => heard.push(`second ${key}`));
  changes.publish(a);
  stopFirst();
  stopFirst();
  changes.publish(a);
  changes.publish(b);
  stopSecond();
  changes.publish(a);
  assert.deepEqual(heard, [`first ${a.key}`, `second ${a.key}`, `second ${a.key}`]);
});
