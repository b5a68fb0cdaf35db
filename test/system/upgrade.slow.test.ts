import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { gsq } from '../cli/gsq-command.ts';
import { Clock, type InProcess, startOn } from '../contract/in-process.ts';
import { metaIn, postFetch, serverIn } from '../contract/rest.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { bootstrap, INTERNAL_SECRET } from './stack-settings.ts';
import { followSection, type Runner } from './upgrading-page.ts';

/**
 * Folder with a data directory of release 0.1.0, the expected content of this directory, and a backup. Release 0.1.0
 * made the backup from this directory.
 */
const FIXTURE = join(resolve(import.meta.dirname, '..'), 'core/store/leveldb/first-release');
const NEW_SERVER = '127.0.0.1:27015';

interface Holds {
  at: number;
  servers: { gameId: string; address: string; lastOnlineAt: number; data: string }[];
  tokens: { id: string; tier: string; email: string; used: number; revokedAt: number }[];
  secrets: Record<string, string>;
}

/** The servers and tokens in a data directory, as `gsq servers list` and `gsq token list` print them. */
interface Content {
  /** Game, address, time of the last successful probe and name of each server. */
  servers: [string, string, string | null, string | null][];
  /** Id, e-mail, number of used requests and validity of each token. */
  tokens: [string, string, number, boolean][];
}

const holds = JSON.parse(readFileSync(join(FIXTURE, 'holds.json'), 'utf8')) as Holds;

function bySecondElement(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a[1]).localeCompare(String(b[1]));
}

/**
 * Returns the name of a game server from its data in a record of release 0.1.0. The data is a JSON object without the
 * closing brace.
 */
function nameIn(data: string): string | null {
  return data === '' ? null : (JSON.parse(`${data}}`) as { name: string }).name;
}

/** The expected content of the data directory of release 0.1.0, before and after the upgrade. */
const before: Content = {
  servers: holds.servers
    .map(({ gameId, address, lastOnlineAt, data }): Content['servers'][number] => [
      gameId,
      address,
      lastOnlineAt > 0 ? new Date(lastOnlineAt).toISOString() : null,
      nameIn(data),
    ])
    .sort(bySecondElement),
  tokens: holds.tokens
    .map(({ id, email, used, revokedAt }): Content['tokens'][number] => [id, email, used, revokedAt === 0])
    .sort(bySecondElement),
};

describe('an upgrade from release 0.1.0 (docs/upgrading.md)', { timeout: 60_000 }, () => {
  let home: string;
  let data: string;
  let service: InProcess | undefined;
  let clock: Clock;

  beforeEach(() => {
    home = scratchDirectory();
    data = join(home, 'var/lib/gsq');
    clock = new Clock();
    clock.ms = holds.at;
    mkdirSync(join(home, 'backups'));
    cpSync(FIXTURE, data, { recursive: true });
    // Restores the permissions of the key file, because Git does not store them.
    chmodSync(join(data, 'token.key'), 0o600);
    writeFileSync(join(data, 'internal.secret'), INTERNAL_SECRET, { mode: 0o600 });
    copyFileSync(join(FIXTURE, 'backup.ndjson'), join(home, 'backups/before-upgrade.ndjson'));
  });
  afterEach(() => stop());

  async function stop(): Promise<void> {
    await service?.stop();
    service = undefined;
  }

  const env = (): Record<string, string> => ({
    GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
    ...(service && { GSQ_INTERNAL_ADDR: service.internal }),
  });
  const runner: Runner = {
    gsq: async args => {
      const { status, talk } = await gsq(env(), ...args);
      assert.equal(status, 0, `gsq ${args.join(' ')}: ${talk}`);
    },
    startCore: async () => {
      service = await startOn(data, {}, clock.now);
    },
  };

  async function json<T>(...args: string[]): Promise<T> {
    const { status, out, talk } = await gsq(env(), ...args, '--json');
    assert.equal(status, 0, talk);
    return JSON.parse(out) as T;
  }

  /** Returns all servers and tokens of the running core, except for the token of the test stack. */
  async function content(): Promise<Content> {
    const servers = await json<
      { game_id: string; server: string; last_online_at: string | null; name: string | null }[]
    >('servers', 'list');
    const tokens = await json<{ id: string; email: string; used: number; revoked_at: string | null }[]>(
      'token',
      'list',
    );
    return {
      servers: servers
        .map(({ game_id, server, last_online_at, name }): Content['servers'][number] => [
          game_id,
          server,
          last_online_at,
          name,
        ])
        .sort(bySecondElement),
      tokens: tokens
        .filter(({ email }) => email !== bootstrap.email)
        .map(({ id, email, used, revoked_at }): Content['tokens'][number] => [
          id,
          email,
          used,
          revoked_at === null,
        ])
        .sort(bySecondElement),
    };
  }

  /**
   * Follows the sections "Replace the core" and "Check the core" of docs/upgrading.md. Then inserts a server and
   * creates a token.
   */
  async function upgrade(): Promise<void> {
    await followSection(home, '4. Replace the core', runner);
    assert.deepEqual(await content(), before);
    await followSection(home, '5. Check the core', runner);
    const { http } = service as InProcess;
    assert.equal(
      metaIn(await postFetch(http, [{ game_id: 'csgo', servers: [NEW_SERVER] }])).auto_inserted,
      1,
    );
    await runner.gsq(['token', 'create', '--email', 'new@example.com']);
  }

  it('keeps servers, tokens, used quota and secrets, and can be undone with a copy of the old data directory', async () => {
    await upgrade();
    const { http } = service as InProcess;
    const { id, tier, email, used } = holds.tokens.find(each => each.tier === 'FREE' && each.used > 0) ?? {};
    assert.ok(id !== undefined && tier !== undefined && email !== undefined && used !== undefined);
    const headers = {
      'X-API-Token': holds.secrets[id],
      'X-API-Token-Type': tier,
      'X-API-Token-Email': email,
    };
    const [first] = holds.servers;
    assert.ok(first);
    const answer = await postFetch(http, [{ game_id: first.gameId, servers: [first.address] }], headers);
    const { status, last_online_at } = serverIn(answer, first.address)._updater;
    assert.deepEqual([status, last_online_at], ['online', new Date(first.lastOnlineAt).toISOString()]);
    assert.equal(answer.headers['x-ratelimit-remaining'], String(1440 - used - 1));

    await stop();
    await followSection(home, '1. Stop the new version', runner);
    await followSection(home, '2. Bring the old data back', runner, 0);
    await runner.startCore();
    assert.deepEqual(await content(), before);
  });

  it('can be undone by restoring a backup of the old release', async () => {
    await upgrade();
    await stop();
    await followSection(home, '1. Stop the new version', runner);
    await followSection(home, '2. Bring the old data back', runner, 1);
    await followSection(home, '3. Start the old version', runner, 0);
    assert.deepEqual(await content(), before);
    await followSection(home, '4. Check the old version', runner);
  });

  it('leaves the data in a form that the new version can back up and restore', async () => {
    await upgrade();
    const upgraded = await content();
    assert.deepEqual([upgraded.servers.length, upgraded.tokens.length], [40, 4]);
    const backup = join(home, 'backups/after.ndjson');
    await runner.gsq(['backup', backup]);
    await stop();
    data = join(home, 'restored');
    await runner.gsq(['restore', backup, '--data-dir', data]);
    await runner.startCore();
    assert.deepEqual(await content(), upgraded);
  });
});
