import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Requester, shareLists } from '../../../prober/gamedig/shared-lists.ts';

const LIST = 'https://servers.minetest.net/list';

/** What is fetched, and the clock it is fetched by. */
function shared(answer: (url: string) => Promise<unknown> = async url => ({ url })) {
  const asked: string[] = [];
  const clock = { now: 0 };
  const requester: Requester = {
    request: ({ url }) => {
      asked.push(url);
      return answer(url);
    },
  };
  shareLists(requester, () => clock.now);
  return { asked, clock, requester };
}

test('a list is fetched once a minute, for all who ask in it', async () => {
  const { asked, clock, requester } = shared();
  const [first, second] = await Promise.all([
    requester.request({ url: LIST }),
    requester.request({ url: LIST, method: 'GET' }),
  ]);
  assert.equal(first, second);
  clock.now = 59_999;
  assert.equal(await requester.request({ url: LIST }), first);
  assert.deepEqual(asked, [LIST]);
  clock.now = 60_000;
  assert.notEqual(await requester.request({ url: LIST }), first);
  assert.deepEqual(asked, [LIST, LIST]);
});

test('a list that could not be fetched is asked for again after ten seconds, by whoever wants it then', async () => {
  let down = true;
  const { asked, clock, requester } = shared(async () => {
    if (down) throw new Error('no answer');
    return 'the list';
  });
  await assert.rejects(requester.request({ url: LIST }), /no answer/);
  clock.now = 9_999;
  await assert.rejects(requester.request({ url: LIST }), /no answer/);
  assert.equal(asked.length, 1);
  down = false;
  clock.now = 10_000;
  assert.equal(await requester.request({ url: LIST }), 'the list');
  assert.equal(asked.length, 2);
});

test('questions about one server, and what is sent, go through each time', async () => {
  const { asked, requester } = shared();
  for (const params of [
    { url: 'http://127.0.0.1:30120/info.json' },
    { url: 'https://api.alt-mp.com/servers/abc' },
    { url: LIST, method: 'POST' },
  ]) {
    await requester.request(params);
    await requester.request(params);
  }
  assert.equal(asked.length, 6);
});

test('gamedig has its requests where they are looked for', async () => {
  const core = new URL('../protocols/core.js', import.meta.resolve('gamedig'));
  const { default: Core }: { default: { prototype: Requester } } = await import(core.href);
  assert.equal(typeof Core.prototype.request, 'function');
});
