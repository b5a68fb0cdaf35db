import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { A2sServer } from '../system/a2s-server.ts';
import { Stack } from '../system/stack.ts';
import { metaIn, postFetch, serverIn } from './rest.ts';

describe('the header Prefer: wait=N of a fetch', () => {
  let stack: Stack;
  before(async () => {
    stack = await Stack.start({ processes: ['core', 'gateway', 'prober'] });
  });
  after(() => stack.stop());

  it('makes the first answer contain the data of a new server if the server replies in time', async () => {
    const server = await A2sServer.start({ name: 'Worth the wait' });
    try {
      const group = { game_id: 'csgo', servers: [server.address] };
      const answer = await postFetch(stack.http, [group], { Prefer: 'respond-async, wait=60' });
      assert.equal(answer.headers['preference-applied'], 'wait=5');
      assert.equal(serverIn(answer, server.address)._updater.status, 'online');
      assert.equal(serverIn(answer, server.address).name, 'Worth the wait');
      assert.equal(metaIn(answer).auto_inserted, 1);
    } finally {
      server.stop();
    }
  });

  it('ends the wait for a silent server after N seconds, and is ignored if its value is invalid', async () => {
    const silent = await A2sServer.start({ manner: 'silent' });
    try {
      const group = { game_id: 'csgo', servers: [silent.address] };
      const waited = await postFetch(stack.http, [group], { Prefer: 'wait=1' });
      assert.equal(waited.headers['preference-applied'], 'wait=1');
      assert.equal(serverIn(waited, silent.address)._updater.status, 'pending');
      const known = await postFetch(stack.http, [group], { Prefer: 'wait=5' });
      assert.equal(serverIn(known, silent.address)._updater.status, 'pending');
      for (const Prefer of ['wait', 'wait=-1', 'wait=x', 'return=minimal']) {
        const answer = await postFetch(stack.http, [group], { Prefer });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers['preference-applied'], undefined, Prefer);
      }
    } finally {
      silent.stop();
    }
  });
});
