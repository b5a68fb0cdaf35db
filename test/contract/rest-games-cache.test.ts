import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { clients } from '../../proto/clients.ts';
import type { ListGamesResponse__Output } from '../../proto/generated/gsq/v1/ListGamesResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { ask } from '../gateway/ask.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { ServiceProcess } from '../system/service-process.ts';
import { stackDefaults } from '../system/stack-settings.ts';
import { deadline } from './grpc.ts';
import { Clock, type InProcess, startInProcess } from './in-process.ts';
import { GAMES } from './rest.ts';

const DAY_SECONDS = 86_400;

const catalogOf = (...names: string[]): string =>
  JSON.stringify(names.map((name, at) => ({ id: `game${at}`, name, protocol: 'a2s', port: 27015 })));

describe('the cache of the games catalog', () => {
  const catalog = join(scratchDirectory(), 'catalog.json');
  let clock: Clock;
  let service: InProcess;

  beforeEach(async () => {
    await writeFile(catalog, catalogOf('First'));
    clock = new Clock();
    service = await startInProcess({ GSQ_CATALOG: catalog }, clock.now);
  });
  afterEach(() => service.stop());

  const rest = () => ask(service.http, { path: GAMES });
  const restNames = async () =>
    (JSON.parse((await rest()).text) as { name: string }[]).map(({ name }) => name);
  const grpc = async (): Promise<ListGamesResponse__Output> => {
    const client = clients.game(service.grpc);
    try {
      return await unary(done => client.listGames({}, deadline(), done));
    } finally {
      client.close();
    }
  };
  const grpcNames = async () => (await grpc()).games.map(({ name }) => name);
  const maxAge = async () => (await rest()).headers['cache-control'];
  const failedRefreshes = async () => {
    const metrics = await (await fetch(`http://${service.coreOps}/metrics`)).text();
    return /^gsq_catalog_refresh_failures_total (\d+)$/m.exec(metrics)?.[1];
  };

  it('shows a changed catalog.json through REST and gRPC only after 24 hours', async () => {
    assert.deepEqual([await restNames(), await grpcNames()], [['First'], ['First']]);
    await writeFile(catalog, catalogOf('Second'));
    clock.advance(DAY_SECONDS - 1);
    assert.deepEqual([await restNames(), await grpcNames()], [['First'], ['First']]);
    clock.advance(1);
    assert.deepEqual([await restNames(), await grpcNames()], [['Second'], ['Second']]);
    await writeFile(catalog, catalogOf('Third'));
    clock.advance(DAY_SECONDS - 1);
    assert.deepEqual([await restNames(), await grpcNames()], [['Second'], ['Second']]);
  });

  it('reports its remaining lifetime as max-age in Cache-Control and as maxAgeSeconds over gRPC', async () => {
    assert.equal(await maxAge(), 'public, max-age=86400');
    assert.equal((await grpc()).maxAgeSeconds, 86_400);
    clock.advance(1000);
    assert.equal(await maxAge(), 'public, max-age=85400');
    assert.equal((await grpc()).maxAgeSeconds, 85_400);
    clock.advance(DAY_SECONDS - 1001);
    assert.equal(await maxAge(), 'public, max-age=1');
    clock.advance(1);
    assert.equal(await maxAge(), 'public, max-age=86400');
  });

  it('gets a new entity tag on a reload only if the catalog has changed', async () => {
    const tag = (await rest()).headers.etag;
    clock.advance(DAY_SECONDS);
    assert.equal((await rest()).headers.etag, tag);
    await writeFile(catalog, catalogOf('Other'));
    clock.advance(DAY_SECONDS);
    assert.notEqual((await rest()).headers.etag, tag);
  });

  it('keeps the last valid catalog if a reload finds a broken or missing file, and counts the failure', async () => {
    await restNames();
    assert.equal(await failedRefreshes(), '0');
    await writeFile(catalog, '[{"id":"game0",');
    clock.advance(DAY_SECONDS);
    assert.deepEqual([await restNames(), await grpcNames()], [['First'], ['First']]);
    assert.equal(await failedRefreshes(), '1');
    await rm(catalog);
    clock.advance(DAY_SECONDS);
    assert.deepEqual([await restNames(), await grpcNames()], [['First'], ['First']]);
    assert.equal(await failedRefreshes(), '2');
    await writeFile(catalog, catalogOf('Mended'));
    clock.advance(DAY_SECONDS);
    assert.deepEqual([await restNames(), await grpcNames()], [['Mended'], ['Mended']]);
    assert.equal(await failedRefreshes(), '2');
  });

  it('reads catalog.json once if 20 concurrent requests find the cache expired', async () => {
    await restNames();
    // Deletes catalog.json, so every read of it fails. The counter of failed reads shows how often the core tried.
    await rm(catalog);
    clock.advance(DAY_SECONDS);
    const callers = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? restNames() : grpcNames()));
    for (const names of await Promise.all(callers)) assert.deepEqual(names, ['First']);
    assert.equal(await failedRefreshes(), '1');
  });

  it('makes the core exit at its start with the exit code 3 if the catalog file is broken or missing', async () => {
    await writeFile(catalog, '[{"id":"Not An Id","name":"x"}]');
    for (const [path, fault] of [
      [catalog, /Not An Id/],
      [join(scratchDirectory(), 'absent.json'), /absent\.json.*cannot be read/s],
    ] as const) {
      const start = ServiceProcess.start('core', { ...stackDefaults, GSQ_CATALOG: path });
      await assert.rejects(start, (error: Error) => {
        assert.match(error.message, /ended with 3:/);
        assert.match(error.message, /gsq: GSQ_CATALOG: /);
        assert.match(error.message, fault);
        assert.doesNotMatch(error.message, /\n\s+at /);
        return true;
      });
    }
  });
});
