import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MAX_ASKED, MAX_RENDERED } from '../../../core/cluster/parts/render-stream.ts';
import type { ServerOwner } from '../../../core/servers/cluster-servers.ts';
import { RemoteAnswers } from '../../../core/servers/remote-answers.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { ADDRESS, type RenderServerStream, withFaultyPeer } from './faulty-peer.ts';
import { KnownFetch } from './known-answer.ts';

const isCore1 = (error: unknown): boolean => error instanceof ServiceError && error.code === 'CORE_1';
/**
 * Returns a response of RenderServers that contains these texts. Each text is the JSON of one server. All entity tags
 * in the response are zero.
 */
const rendered = (...texts: string[]) => ({
  servers: texts.map(text => Buffer.from(text)),
  tags: Buffer.alloc(8 * texts.length),
});

async function opened(t: TestContext, deadlineMs?: number) {
  const world = await withFaultyPeer(t, () => {}, deadlineMs);
  const text = Buffer.from(ADDRESS);
  const owner = (): ServerOwner => {
    const found = world.remote.ownerAt(text, 0, text.length);
    assert.ok(found);
    return found;
  };
  return {
    ...{ ...world, owner },
    fetch: (...servers: string[]) => new KnownFetch(world.core, [{ gameId: 'csgo', servers }]),
    /** Asks the core that owns the test server to render it as JSON, `count` times. */
    askFor: (count: number) =>
      new RemoteAnswers(
        Array.from({ length: count }, (_, position) => ({
          ...{ owner: owner(), position, gameId: 'csgo', text },
          ...{ start: 0, end: text.length },
        })),
        false,
      ),
  };
}

test('if the core that owns a server never answers, the fetch fails with CORE_1 at its deadline, and later fetches work', async t => {
  const { fetch, peerState, renderStreams } = await opened(t, 1_000);
  await assert.rejects(fetch(ADDRESS).answer(), isCore1);
  peerState.render = (_request, stream) => stream.write(rendered('{"a":1}'));
  assert.match(String(await fetch(ADDRESS).answer()), /^{"1.2.3.4:27015":{"a":1},"_meta"/);
  assert.equal(renderStreams.length, 2);
});

test('a core sends one request message to another core for all fetches of one turn of the event loop', async t => {
  const { fetch, peerState } = await opened(t);
  const requests: string[][] = [];
  peerState.render = ({ servers }, stream) => {
    const asked = servers.flatMap(group => group.servers.map(address => `${group.gameId} ${address}`));
    requests.push(asked);
    stream.write(rendered(...asked.map(key => JSON.stringify(key))));
  };
  const [one, two, three] = ['1.2.3.4:1', '1.2.3.4:2', '1.2.3.4:3'];
  const answers = await Promise.all([fetch(one, two).answer(), fetch(three).answer()]);
  const texts = answers.map(answer => Object.entries(JSON.parse(String(answer))).slice(0, -1));
  assert.deepEqual(texts, [
    [
      [one, `csgo ${one}`],
      [two, `csgo ${two}`],
    ],
    [[three, `csgo ${three}`]],
  ]);
  await fetch(two).answer();
  assert.deepEqual(requests, [[`csgo ${one}`, `csgo ${two}`, `csgo ${three}`], [`csgo ${two}`]]);
});

test('a request to another core to render many servers is split, and the answer keeps the order of the servers', async t => {
  const { fetch, peerState } = await opened(t);
  const counts: number[] = [];
  peerState.render = ({ servers }, stream) => {
    const asked = servers.flatMap(group => group.servers);
    counts.push(asked.length);
    stream.write(rendered(...asked.map(address => JSON.stringify(address))));
  };
  const addresses = Array.from({ length: 600 }, (_, i) => `1.2.3.4:${20_000 + i}`);
  const { _meta, ...answer } = JSON.parse(String(await fetch(...addresses).answer()));
  assert.deepEqual(
    Object.entries(answer),
    addresses.map(address => [address, address]),
  );
  assert.deepEqual(counts, [MAX_RENDERED, MAX_RENDERED, 100]);
});

const faults: Record<string, (stream: RenderServerStream) => void> = {
  'a response with a wrong number of servers': stream => stream.write({ servers: [] }),
  'a response with too many servers': stream =>
    stream.write({ servers: rendered('{}', '{}').servers, tags: Buffer.alloc(8) }),
  'a response without tags': stream => stream.write({ servers: rendered('{}').servers }),
  'an error': stream => stream.emit('error', Object.assign(new Error('a fault'), { code: 13 })),
  'the end of the stream': stream => stream.end(),
};
for (const [fault, answer] of Object.entries(faults)) {
  test(`KnownFetch (the fast path of a fetch) gives no answer if the server's core sends ${fault}`, async t => {
    const { fetch, peerState, renderStreams } = await opened(t);
    peerState.render = (_request, stream) => answer(stream);
    assert.equal(await fetch(ADDRESS).answer(), undefined);
    peerState.render = (_request, stream) => stream.write(rendered('{}'));
    // The core ends the faulty stream to the other core only in a later turn of the event loop. Until then, fetches get
    // no answer, so the test repeats the fetch.
    while ((await fetch(ADDRESS).answer()) === undefined);
    assert.equal(renderStreams.length, 2);
  });
}

test('a core ends its RenderServers stream to another core if it receives responses without a request', async t => {
  const { fetch, peerState, renderStreams } = await opened(t);
  peerState.render = (_request, stream) => {
    for (let i = 0; i < 100; i++) stream.write(rendered('{}'));
  };
  assert.ok(await fetch(ADDRESS).answer());
  while (renderStreams.length < 2) await fetch(ADDRESS).answer();
});

test('KnownFetch (the fast path of a fetch) gives no answer if a core with a requested server leaves the cluster', async t => {
  const { fetch, nextMessage, cluster } = await opened(t);
  const answer = fetch(ADDRESS).answer();
  await nextMessage();
  cluster.leave('peer');
  assert.equal(await answer, undefined);
});

test('when a core closes, it sends no more render requests to other cores', async t => {
  const { fetch, nextMessage, remote } = await opened(t);
  const answer = fetch(ADDRESS).answer();
  await nextMessage();
  remote.close();
  assert.equal(await answer, undefined);
  assert.equal(fetch(ADDRESS).ask(), undefined);
});

test('a core refuses a request with CORE_1 while it waits for the data of too many servers from another core', async t => {
  const { askFor, peerState } = await opened(t);
  peerState.render = ({ servers }, stream) =>
    stream.write(rendered(...servers.flatMap(group => group.servers.map(() => '{}'))));
  const answers = askFor(MAX_ASKED);
  assert.throws(() => askFor(1), /Too many calls/);
  await answers.received();
  await askFor(1).received();
});
