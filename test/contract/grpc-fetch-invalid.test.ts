import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CoreAndGateway, startCoreAndGateway } from './core-and-gateway.ts';
import { freshAddress } from './fresh-address.ts';
import { fetchServers, resultFor } from './grpc.ts';
import { startInProcess } from './in-process.ts';

describe('GameService and ServerService', () => {
  let stack: CoreAndGateway;
  before(async () => {
    stack = await startCoreAndGateway();
  });
  after(() => stack.stop());

  it('FetchServers returns a result for each invalid pair of game and address, and lists the pair with its reason in invalidServers', async () => {
    const bad: [string, string, string][] = [
      ['nosuchgame', '127.0.0.1:27015', 'unknown_game'],
      ['csgo', 'nonsense', 'malformed_address'],
      ['csgo', '10.0.0.1:27015', 'blocked_address'],
      ['csgo', '127.0.0.1:22', 'blocked_address'],
      ['csgo', 'game.invalid:27015', 'unresolvable_host'],
    ];
    const request = bad.map(([gameId, address]) => ({ gameId, servers: [address] }));
    const answer = await fetchServers(stack.grpc, { servers: request });
    assert.equal(answer.meta?.autoInserted, 0);
    assert.deepEqual(
      answer.meta?.invalidServers.map(({ gameId, server, reason }) => [gameId, server, reason]),
      bad,
    );
    for (const [at, [gameId, server]] of bad.entries()) {
      const result = resultFor(answer, gameId, server);
      assert.deepEqual(result.updater, {
        status: 'SERVER_STATUS_INVALID',
        firewallIntervalMinutes: 0,
        firewallLabel: 'FIREWALL_LABEL_NONE',
        nextProbeAt: null,
        lastProbeAt: null,
        lastOnlineAt: null,
        reason: '',
      });
      assert.equal(result.message, answer.meta?.invalidServers[at]?.message);
    }
  });

  it('FetchServers reports insert_quota for a new server if GSQ_MAX_SERVERS servers are already tracked', async () => {
    const small = await startInProcess({ GSQ_MAX_SERVERS: '1' });
    try {
      const both = { servers: [{ gameId: 'csgo', servers: [freshAddress(), freshAddress()] }] };
      const { meta } = await fetchServers(small.grpc, both);
      assert.equal(meta?.autoInserted, 1);
      assert.deepEqual(
        meta?.invalidServers.map(({ reason }) => reason),
        ['insert_quota'],
      );
    } finally {
      await small.stop();
    }
  });
});
