import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HookWorld, SERVER } from './hook-world.ts';

test('a Discord webhook with one_message posts a message, edits this message later, and posts a new one if it was deleted', async t => {
  const world = await HookWorld.open(t);
  const url = 'https://discord.example/api/webhooks/1/secret';
  world.online();
  await world.create({ form: 'discord', oneMessage: true, servers: [SERVER], url });
  const [posted] = await world.lease();
  assert.deepEqual([posted?.method, posted?.url, posted?.wantsBody], ['POST', `${url}?wait=true`, true]);
  world.report(posted?.leaseId ?? 0, 200, { body: '{"id":"123456"}' });
  world.online(SERVER, 4);
  world.online(SERVER, 5);
  assert.deepEqual(await world.lease(), []);
  await world.restart();
  await world.advance(10);
  const [edited] = await world.lease();
  assert.deepEqual([edited?.method, edited?.url], ['PATCH', `${url}/messages/123456`]);
  assert.match(edited?.body.toString() ?? '', /5 \/ 16/);
  world.report(edited?.leaseId ?? 0, 404);
  const [again] = await world.lease();
  assert.equal(again?.method, 'POST');
});

test('gsq edits the Discord message of a server at most every ten seconds, even if the server changes every second', async t => {
  const world = await HookWorld.open(t);
  world.online();
  await world.create({ form: 'discord', oneMessage: true, servers: [SERVER], conditions: [] });
  const [posted] = await world.lease();
  world.report(posted?.leaseId ?? 0, 200, { body: '{"id":"1"}' });
  let edits = 0;
  for (let second = 0; second < 60; second++) {
    world.online(SERVER, second % 16);
    await world.advance(1);
    for (const { leaseId, method } of await world.lease()) {
      if (method === 'PATCH') edits++;
      world.report(leaseId, 200);
    }
  }
  assert.equal(edits, 6);
});

test('a Discord message about a server of another core is sent only after gsq has read the record of the server from that core', async t => {
  const world = await HookWorld.open(t);
  world.online();
  world.unread.add(SERVER);
  await world.create({ form: 'discord', oneMessage: true, servers: [SERVER] });
  assert.deepEqual(await world.lease(), []);
  await world.advance(1);
  assert.deepEqual(await world.lease(), []);
  world.unread.clear();
  await world.advance(1);
  const [posted] = await world.lease();
  assert.match(posted?.body.toString() ?? '', /3 \/ 16/);
});
