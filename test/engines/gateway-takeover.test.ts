import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serviceArguments } from '../../cli/launcher/service-arguments.ts';
import { bucketOfServer } from '../../core/cluster/buckets.ts';
import { hashKey } from '../../core/store/redis/buckets.ts';
import { slotOfBucket } from '../../core/store/redis/hash-slots.ts';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { fetchOne } from '../contract/rest.ts';
import { CoreProcess } from '../faults/core-process.ts';
import { freePort } from '../peers/free-port.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { Authority } from '../system/certificates.ts';
import { Child } from '../system/child.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { stackDefaults } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { EngineCluster } from './engine-cluster.ts';
import { isBalanced, readOwners } from './faults/owners.ts';

/** The host name that gateway and prober resolve to the addresses of both cores. */
const NAME = 'cores.example';
const ADDRESSES = ['127.0.0.2', '127.0.0.3'] as const;

describe('a gateway and a prober that find two cores by one host name', { timeout: 120_000 }, () => {
  const authority = new Authority(scratchDirectory());
  const directories = [scratchDirectory(), scratchDirectory()] as const;
  const children: Child[] = [];
  let cluster: EngineCluster;
  let game: A2sServer;
  let port: number;
  let http: string;

  const coreSettings = (core: 0 | 1): Record<string, string> => ({
    ...authority.settingsFor(`core${core}`, [NAME, ADDRESSES[core]]),
    GSQ_STORE: cluster.url,
    GSQ_INTERNAL_ADDR: `${ADDRESSES[core]}:${port}`,
    GSQ_LOG_LEVEL: 'info',
  });

  /** Starts a gateway or prober with its own /etc/hosts, in which the name NAME has the addresses of both cores. */
  async function startNamed(name: 'gateway' | 'prober'): Promise<ReadyMessage> {
    const hosts = join(scratchDirectory(), 'hosts');
    writeFileSync(
      hosts,
      `${readFileSync('/etc/hosts', 'utf8')}\n${ADDRESSES.map(one => `${one} ${NAME}\n`).join('')}`,
    );
    const env = {
      ...stackDefaults,
      ...authority.settingsFor(name, [name]),
      GSQ_INTERNAL_ADDR: `${NAME}:${port}`,
    };
    const child = await Child.start(
      'unshare',
      home => [
        ...[
          '--mount',
          '--',
          'sh',
          '-c',
          'mount --bind "$0" /etc/hosts && exec "$@"',
          hosts,
          process.execPath,
        ],
        ...[...serviceArguments(name), '--data-dir', join(home, 'data')],
      ],
      { env, ipc: true },
    );
    children.push(child);
    const ended = child.ended.then(() => Promise.reject(new Error(child.report)));
    ended.catch(() => {});
    const [ready] = await Promise.race([once(child.process, 'message'), ended]);
    return ready;
  }

  before(async () => {
    [cluster, game, port] = await Promise.all([
      EngineCluster.start('valkey', { appendOnly: true }),
      A2sServer.start({ name: 'both' }),
      freePort(),
    ]);
  });
  after(async () => {
    for (const child of children.reverse()) await child.stop('SIGKILL');
    await game?.stop();
    await cluster?.stop();
  });

  test('keep working when one of the cores is killed', async () => {
    const first = await CoreProcess.start(directories[0], coreSettings(0));
    children.push(first.child);
    copyFileSync(join(directories[0], 'token.key'), join(directories[1], 'token.key'));
    const second = await CoreProcess.start(directories[1], coreSettings(1));
    children.push(second.child);
    const members = ADDRESSES.map(address => `${address}:${port}`);
    const owners = await until(
      'two cores that share all buckets',
      () => readOwners(cluster),
      found => isBalanced(found, members),
      60_000,
    );
    http = (await startNamed('gateway')).addresses.GSQ_HTTP_ADDR ?? '';
    await startNamed('prober');
    const address = game.address;
    const online = await until(
      'a server that is online',
      () => fetchOne(http, 'csgo', address),
      server => server._updater.status === 'online',
      30_000,
    );
    // Waits until the result of the probe is in the store, because a core writes it up to 2 s later.
    const key = `csgo ${address}`;
    const bucket = bucketOfServer(key);
    const node = cluster.ownerOf(slotOfBucket(bucket));
    await until(
      'a stored status',
      () => node.command('HGET', hashKey(bucket, 's'), key),
      record => String(record).includes('both'),
    );
    // From now on, the game server answers no probes. Therefore the core that takes over this server can report only
    // the stored status.
    game.manner = 'silent';
    const owner = owners.ofBucket[bucket] === members[0] ? first : second;
    await owner.child.stop('SIGKILL');
    const later = await until(
      'an answer of the new owner',
      () => fetchOne(http, 'csgo', address).catch(() => undefined),
      server => server !== undefined,
      60_000,
    );
    assert.equal(later?.name, online.name);
    Object.assign(game, { manner: 'whole', name: 'revived' });
    await until(
      'a probe through the new owner',
      () => fetchOne(http, 'csgo', address),
      server => server.name === 'revived',
      60_000,
    );
  });
});
