import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { FREE_DAY_QUOTA } from '../../core/access/allowance.ts';
import { CoreSet } from '../../gateway/upstream/core-set.ts';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { CreateTokenResponse__Output } from '../../proto/generated/gsq/v1/CreateTokenResponse.ts';
import type { GetTokenResponse__Output } from '../../proto/generated/gsq/v1/GetTokenResponse.ts';
import type { WatchServersResponse__Output } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Credentials, credentialHeaders } from '../contract/rest.ts';
import { Inbox, unary } from '../core/rpc/answer.ts';
import { EventClient } from '../system/event-client.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { CoreGroup, metricsOf } from './core-group.ts';
import { EngineCluster } from './engine-cluster.ts';
import { enginesToTest } from './engine-program.ts';
import { DirectRoute, RequestLoad, type Route, throughGateway, tokenMetadata } from './request-load.ts';

const CORES = 3;
const GATEWAYS = 3;
/** Value of GSQ_BURST_LIMIT: maximum number of requests of one token in one second. */
const BURST_LIMIT = 60;
/** Number of concurrent callers of each gateway, and of each core that is called directly. */
const CALLERS = 2;
/** Minimum duration of the attempt to exceed a token's limit per second, in milliseconds. */
const ATTEMPT_MS = 3_000;
/**
 * Maximum time in seconds for which the cores can still admit requests after the daily quota is used up. Each core
 * reports its requests once a second, so one second is usual. Two more seconds are a reserve for a busy machine.
 */
const QUOTA_SLACK_SECONDS = 3;

/** Matches those lines in the metrics of a core that contain how many fetches it has answered. */
const ADMITTED = /^gsq_core_calls_total\{[^}]*method="(?:FetchServers|FetchCall)",code="OK"\} (\d+)$/gm;

interface MadeToken extends Credentials {
  id: string;
}

for (const kind of enginesToTest(['valkey'])) {
  describe(`with ${GATEWAYS} gateways and ${CORES} cores on ${kind}`, { timeout: 180_000 }, () => {
    const admins: ReturnType<typeof clients.admin>[] = [];
    const secret = internalMetadata(INTERNAL_SECRET);
    const gateways: string[] = [];
    let engine: EngineCluster;
    let group: CoreGroup;
    let direct: DirectRoute[] = [];
    let indirect: Route[] = [];

    before(async () => {
      engine = await EngineCluster.start(kind);
      const env = { GSQ_BURST_LIMIT: String(BURST_LIMIT), GSQ_LOG_LEVEL: 'info' };
      group = await CoreGroup.start({ engine, cores: CORES, env });
      const started = await Promise.all(Array.from({ length: GATEWAYS }, () => group.startOther('gateway')));
      gateways.push(...started.map(gateway => gateway.address('GSQ_HTTP_ADDR')));
      admins.push(...group.internal.map(address => clients.admin(address)));
      direct = group.cores.map(core => new DirectRoute(core.address('GSQ_GRPC_ADDR')));
      indirect = gateways.map(throughGateway);
    });
    after(async () => {
      for (const client of [...admins, ...direct]) client.close();
      await group?.stop();
      await engine?.stop();
    });

    function adminAt(core: number): ReturnType<typeof clients.admin> {
      const client = admins[core];
      assert.ok(client);
      return client;
    }

    /** Creates a token by a call to one core. */
    async function createToken(tier: 'FREE' | 'PRO', core = 0): Promise<MadeToken> {
      const email = 'caller@example.com';
      const made = await unary<CreateTokenResponse__Output>(done =>
        adminAt(core).createToken({ tier, email }, secret, done),
      );
      return { token: made.secret, tier, email, id: made.token?.id ?? '' };
    }

    /**
     * Sends fetches to all gateways and cores, until each of them answers with `result`: `admitted` or an error code.
     * Resolves to the number of admitted fetches.
     */
    async function untilAll(token: Credentials, result: string, deadlineMs?: number): Promise<number> {
      let admitted = 0;
      await until(
        `${result} through all gateways and cores`,
        async () => {
          const results = await Promise.all([...indirect, ...direct].map(route => route.fetch(token)));
          admitted += results.filter(each => each === 'admitted').length;
          return results;
        },
        results => results.every(each => each === result),
        deadlineMs,
      );
      return admitted;
    }

    async function usedOf({ id }: MadeToken, core: number): Promise<number> {
      const found = await unary<GetTokenResponse__Output>(done =>
        adminAt(core).getToken({ id }, secret, done),
      );
      return found.token?.used ?? 0;
    }

    /** Returns the number of fetches that all cores have admitted so far. */
    async function admittedByCores(): Promise<number> {
      const texts = await Promise.all(group.cores.map(metricsOf));
      const counts = texts.flatMap(text => [...text.matchAll(ADMITTED)].map(([, count]) => Number(count)));
      return counts.reduce((sum, count) => sum + count, 0);
    }

    /**
     * Returns the maximum number of requests of a token that one core can admit within `seconds`. The core admits
     * BURST_LIMIT requests in each window of at least one second. At most floor(`seconds`) + 1 windows begin in this
     * time.
     */
    const mostIn = (seconds: number): number => BURST_LIMIT * (Math.floor(seconds) + 1);

    function report(t: TestContext, what: string, load: RequestLoad, seconds: number, most: number): void {
      const refused = [...load.refused].map(([code, count]) => `${count} ${code}`).join(', ');
      t.diagnostic(
        `${what}: ${load.admitted} admitted of at most ${most} in ${seconds.toFixed(1)} s; ${refused}`,
      );
    }

    test('a FREE token can exceed its daily quota only a little', async t => {
      const token = await createToken('FREE');
      await untilAll(token, 'admitted');
      const load = new RequestLoad([...indirect, ...direct], token, CALLERS, 'QUOTA_1');
      await load.whenDone();
      const most = FREE_DAY_QUOTA + CORES * BURST_LIMIT * QUOTA_SLACK_SECONDS;
      report(t, 'daily quota', load, await load.stop(), most);
      // The metrics count only requests of this token, because no other token is used. If a core does not answer, the
      // gateway repeats the request at another core. So the metrics can count more requests than the caller sent.
      const admitted = await admittedByCores();
      t.diagnostic(`${admitted} admitted by the cores`);
      assert.ok(admitted >= FREE_DAY_QUOTA, `only ${admitted} admitted`);
      assert.ok(admitted <= most, `${admitted} admitted`);
      for (let core = 0; core < CORES; core++) {
        await until(
          `${admitted} requests counted, as core ${core} answers`,
          () => usedOf(token, core),
          used => used === admitted,
        );
      }
      for (const route of [...indirect, ...direct]) assert.equal(await route.fetch(token), 'QUOTA_1');
    });

    test('a token that callers use at all gateways does not exceed its limit of requests per second', async t => {
      const token = await createToken('PRO', 1);
      await untilAll(token, 'admitted');
      const load = new RequestLoad(indirect, token, CALLERS);
      await pause(ATTEMPT_MS);
      const seconds = await load.stop();
      // If the core that usually counts the requests of this token answers too late, the gateway sends them to another
      // core. The other core starts to count from zero, so it can admit BURST_LIMIT more requests.
      const most = mostIn(seconds) + BURST_LIMIT;
      report(t, 'limit per second', load, seconds, most);
      assert.ok((load.refused.get('RATE_1') ?? 0) > 0, 'too few requests to prove anything');
      assert.ok(load.admitted <= most, `${load.admitted} in ${seconds} s`);
    });

    test('if callers call the cores directly, each core applies the limit per second of a token separately', async t => {
      const token = await createToken('PRO', 1);
      await untilAll(token, 'admitted');
      const load = new RequestLoad(direct, token, CALLERS);
      await pause(ATTEMPT_MS);
      const seconds = await load.stop();
      report(t, 'directly', load, seconds, CORES * mostIn(seconds));
      assert.ok((load.refused.get('RATE_1') ?? 0) > 0, 'too few requests to prove anything');
      assert.ok(load.admitted <= CORES * mostIn(seconds), `${load.admitted} in ${seconds} s`);
    });

    test('a token does not exceed its limit per second even if the core that counts its requests leaves the cluster and returns', async t => {
      const cores = new CoreSet('');
      cores.update(group.internal.map(address => ({ address, responds: true })));
      const placed = async (core: number): Promise<MadeToken> => {
        for (;;) {
          const token = await createToken('PRO');
          if (cores.pickCore(token.token) === group.internal[core]) return token;
        }
      };
      const tokens = [await placed(CORES - 1), await placed(0)];
      for (const token of tokens) await untilAll(token, 'admitted');
      const loads = tokens.map(token => new RequestLoad(indirect, token, CALLERS));
      const leaving = group.cores[CORES - 1]?.child;
      assert.equal(await leaving?.stop(), exitStatus.ok, group.report);
      await group.balanced();
      await group.startCore(CORES - 1);
      await group.balanced();
      direct[CORES - 1]?.close();
      direct[CORES - 1] = new DirectRoute(group.cores[CORES - 1]?.address('GSQ_GRPC_ADDR') ?? '');
      await pause(ATTEMPT_MS);
      for (const [i, load] of loads.entries()) {
        const seconds = await load.stop();
        // The core that counts the requests of the first token has left the cluster and returned to it. Each of these
        // two changes resets the count to zero, so BURST_LIMIT more requests can be admitted. In addition, a gateway
        // can repeat one request of each caller at another core. A core does not count repeated requests.
        const most = mostIn(seconds) + (i === 0 ? 2 * BURST_LIMIT + CALLERS * GATEWAYS : 0);
        report(t, i === 0 ? 'core of the token leaves and comes back' : 'another core', load, seconds, most);
        assert.ok((load.refused.get('RATE_1') ?? 0) > 0, 'too few requests to prove anything');
        assert.ok(load.admitted <= most, `${load.admitted} in ${seconds} s`);
      }
    });

    test('if a token is revoked at one core, all cores refuse this token, and end its event streams', async t => {
      const token = await createToken('PRO');
      await untilAll(token, 'admitted');
      const events = await Promise.all(
        gateways.map(http =>
          EventClient.open(http, '/v1/events?server=csgo/127.0.0.1:1', { headers: credentialHeaders(token) }),
        ),
      );
      for (const { status, text } of events) assert.equal(status, 200, text);
      const watches = group.cores.map(core => {
        const client = clients.server(core.address('GSQ_GRPC_ADDR'));
        t.after(() => client.close());
        const servers = [{ gameId: 'csgo', servers: ['127.0.0.1:1'] }];
        return new Inbox<WatchServersResponse__Output>(
          client.watchServers({ servers }, tokenMetadata(token)),
        );
      });
      for (const watch of watches) await watch.until(({ length }) => length > 0);
      await unary(done => adminAt(CORES - 1).revokeToken({ id: token.id }, secret, done));
      const revokedAt = performance.now();
      await untilAll(token, 'AUTH_3', 5_000);
      const refusedMs = performance.now() - revokedAt;
      for (const event of events) await event.untilEnded(5_000);
      for (const watch of watches) assert.equal((await watch.over)?.ours?.code, 'AUTH_3');
      const endedMs = performance.now() - revokedAt;
      t.diagnostic(
        `refused after ${refusedMs.toFixed(0)} ms, all streams ended after ${endedMs.toFixed(0)} ms`,
      );
    });
  });
}
