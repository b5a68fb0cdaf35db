import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Setting } from '../../runtime/setting.ts';
import { settings } from '../../runtime/settings.ts';
import { processNames } from '../system/stack-settings.ts';
import {
  assertNoRights,
  type ComposeService,
  HEALTH_CHECK,
  readCompose,
  startedBefore,
} from './compose-files.ts';
import { imageEnvironment, listeningPorts, readProjectFile, version } from './container-files.ts';
import { readEnvironment } from './unit-file.ts';

const compose = readCompose('deploy/compose/compose.yaml');
const service = (name: string): ComposeService => {
  const found = compose.services[name];
  assert.ok(found, name);
  return found;
};

test('compose.yaml runs each process of gsq once, and one further service that owns the shared network', () => {
  assert.deepEqual(Object.keys(compose.services).sort(), [...processNames, 'network'].sort());
});

for (const name of [...processNames, 'network']) {
  test(`the compose service ${name} runs as an unprivileged user, without capabilities and with read-only files`, () => {
    const { image, restart } = service(name);
    assert.deepEqual([image, restart], [`gsq:${version}`, 'unless-stopped']);
    assertNoRights(service(name), '10001:10001');
  });
}

for (const name of processNames) {
  test(`the compose service ${name} shares one network with the others, has a health check, and gets 15 s to stop`, () => {
    const found = service(name);
    assert.deepEqual(found.command, [name]);
    assert.equal(found.network_mode, 'service:network');
    assert.deepEqual(found.healthcheck.test, HEALTH_CHECK);
    assert.equal(found.stop_grace_period, '15s');
    assert.deepEqual(found.env_file, ['settings.env']);
    assert.deepEqual(found.secrets, Object.keys(compose.secrets));
    assert.equal(found.environment?.GSQ_INTERNAL_SECRET_FILE, `/run/secrets/${found.secrets?.[0]}`);
  });
}

test('the containers of compose.yaml share one network namespace, so the internal port can listen on loopback without certificates', () => {
  const { internal } = listeningPorts('core', { ...imageEnvironment(), ...service('core').environment });
  assert.deepEqual(internal, { host: '127.0.0.1', port: 50052 });
});

test('compose.yaml publishes ports only on loopback of the machine, and a process of gsq listens on each published port', () => {
  const listening = processNames.flatMap(name =>
    Object.values(listeningPorts(name, { ...imageEnvironment(), ...service(name).environment })),
  );
  const reachable = listening.filter(({ host }) => host === '0.0.0.0').map(({ port }) => port);
  assert.deepEqual(
    service('network').ports?.toSorted(),
    reachable.map(port => `127.0.0.1:${port}:${port}`).sort(),
  );
  for (const name of processNames) assert.equal(service(name).ports, undefined);
});

test('only the core mounts the data volume, and the data directory of the image is in this volume', () => {
  const volumes = processNames.map(name => service(name).volumes?.[0]);
  assert.deepEqual(volumes, ['data:/var/lib/gsq', undefined, undefined, undefined]);
  assert.match(imageEnvironment().GSQ_DATA_DIR ?? '', /^\/var\/lib\/gsq\/./);
});

test('compose stops the gateway first and the core last', () => {
  assert.deepEqual(service('gateway').depends_on, ['network', 'core', 'prober', 'notifier']);
  for (const name of ['prober', 'notifier']) assert.ok(startedBefore(service(name)).includes('core'));
});

test('settings.env contains no secret and only settings of gsq', () => {
  const given = readEnvironment(readProjectFile('deploy/compose/settings.env').replace(/^#(?=GSQ_)/gm, ''));
  assert.ok(Object.keys(given).length > 0);
  const table: Readonly<Record<string, Setting>> = settings;
  for (const name of Object.keys(given)) {
    assert.ok(Object.hasOwn(table, name), name);
    assert.notEqual(table[name]?.secret, true, name);
  }
});
