import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { ListTokensResponse__Output } from '../../proto/generated/gsq/v1/ListTokensResponse.ts';
import { ConfigError } from '../../runtime/config.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { settings } from '../../runtime/settings.ts';
import { unary } from '../core/rpc/answer.ts';
import { ask } from '../gateway/ask.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { ServiceProcess } from '../system/service-process.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap, INTERNAL_SECRET, processNames, stackDefaults } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { startInProcess } from './in-process.ts';
import { GAMES, postFetch } from './rest.ts';

/** Starts a process with invalid settings. Returns the error that it prints. Fails unless it exits with status 3. */
async function refusal(name: (typeof processNames)[number], env: Record<string, string>): Promise<string> {
  const start = ServiceProcess.start(name, { ...stackDefaults, ...env });
  const report = await start.then(
    () => assert.fail(`${name} starts with ${JSON.stringify(env)}`),
    (error: Error) => error.message,
  );
  assert.match(report, /ended with 3:\n/);
  assert.doesNotMatch(report, /\n\s+at /);
  return report.slice(report.indexOf('gsq: '));
}

describe('starting and stopping gsq', () => {
  for (const name of processNames) {
    it(`the ${name} process exits with 3 if a GSQ_* variable is unknown, and prints the name of the variable`, async () => {
      assert.match(
        await refusal(name, { GSQ_HTPP_ADDR: '127.0.0.1:0' }),
        /^gsq: GSQ_HTPP_ADDR: there is no such setting/,
      );
    });
  }

  const bad: [string, string][] = [
    ['GSQ_GRPC_ADDR', 'nowhere'],
    ['GSQ_HTTP_ADDR', '127.0.0.1'],
    ['GSQ_REQUEST_TIMEOUT', '10 s'],
    ['GSQ_PROBE_INTERVAL', '1ms'],
    ['GSQ_MAX_SERVERS', 'many'],
    ['GSQ_ALLOW_TARGETS', '10.0.0.0/33'],
    ['GSQ_LOG_LEVEL', 'loud'],
    ['GSQ_STORE', 'paper'],
    ['GSQ_CATALOG', '/nonexistent/catalog.json'],
  ];
  it('the core exits with 3 if a setting has an invalid value, and prints the setting and the value', async () => {
    assert.match(await refusal('core', { GSQ_STALE_AFTER: '600' }), /^gsq: GSQ_STALE_AFTER: "600" /);
    assert.match(await refusal('core', { GSQ_BOOTSTRAP_TYPE: 'GOLD' }), /^gsq: GSQ_BOOTSTRAP_T.*"GOLD"/);
  });

  for (const [setting, value] of bad) {
    it(`the service does not start with ${setting}=${value}, and the error contains setting and value`, async () => {
      await assert.rejects(startInProcess({ [setting]: value }), (error: Error) => {
        assert.ok(error instanceof ConfigError);
        assert.ok(error.message.startsWith(`${setting}: `) && error.message.includes(value), error.message);
        return true;
      });
    });
  }

  it('addresses, paths and intervals have their default values if no variable is set', () => {
    const defaults = Object.fromEntries(
      Object.entries(settings).map(([name, setting]) => [name, setting.default]),
    );
    const expected = {
      GSQ_HTTP_ADDR: '127.0.0.1:8080',
      GSQ_GRPC_ADDR: '127.0.0.1:50051',
      GSQ_INTERNAL_ADDR: '127.0.0.1:50052',
      GSQ_DATA_DIR: './data',
      GSQ_CATALOG: 'catalog.json',
      GSQ_ALLOW_TARGETS: '',
      GSQ_STALE_AFTER: '600s',
      GSQ_PROBE_INTERVAL: '1m',
      GSQ_STORE: 'leveldb',
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(defaults[name], value, name);
    loadConfig(settings, {}, []);
  });

  it('the core accepts the token in the file that GSQ_BOOTSTRAP_TOKEN_FILE names', async () => {
    const file = join(scratchDirectory(), 'token');
    await writeFile(file, `${bootstrap.token}\n`, { mode: 0o600 });
    const { GSQ_BOOTSTRAP_TOKEN: _, ...others } = stackDefaults;
    const core = await ServiceProcess.start('core', { ...others, GSQ_BOOTSTRAP_TOKEN_FILE: file });
    const GSQ_INTERNAL_ADDR = core.address('GSQ_INTERNAL_ADDR');
    const gateway = await ServiceProcess.start('gateway', { ...others, GSQ_INTERNAL_ADDR });
    try {
      for (const { child, ready } of [core, gateway]) {
        for (const [setting, address] of Object.entries(ready.addresses)) {
          assert.match(address, /^127\.0\.0\.1:[1-9]\d{3,4}$/, setting);
          // A process can report that it is ready before the test receives its log output. Therefore the test waits for
          // the log output.
          await until(
            `${setting} printed`,
            () => child.output,
            output => output.includes(address),
          );
        }
      }
      const http = gateway.address('GSQ_HTTP_ADDR');
      assert.equal((await postFetch(http, [])).status, 200);
      for (const { child } of [core, gateway]) assert.ok(!child.output.includes(bootstrap.token));
    } finally {
      await gateway.child.stop();
      await core.child.stop();
    }
  });

  it('the core creates no token at its start if GSQ_BOOTSTRAP_TOKEN is not set', async () => {
    const { GSQ_BOOTSTRAP_TOKEN: _token, ...env } = stackDefaults;
    const core = await ServiceProcess.start('core', env);
    const admin = clients.admin(core.address('GSQ_INTERNAL_ADDR'));
    const { tokens } = await unary<ListTokensResponse__Output>(done =>
      admin.listTokens({}, internalMetadata(INTERNAL_SECRET), done),
    );
    assert.deepEqual(tokens, []);
    assert.deepEqual(core.ready.notes, {});
    admin.close();
    assert.equal(await core.child.stop(), 0);
  });

  it('every process drains on SIGTERM and exits with 0', async () => {
    const stack = await Stack.start();
    assert.equal((await ask(stack.http, { path: GAMES })).status, 200);
    for (const name of processNames.toReversed()) {
      assert.equal(await stack.process(name).child.stop(), 0, stack.report);
    }
  });
});

describe('wrong settings of the internal gRPC port', () => {
  for (const name of processNames) {
    it(`the ${name} process exits with 3 if its internal address is not loopback and TLS is not configured`, async () => {
      const start = ServiceProcess.start(name, { ...stackDefaults, GSQ_INTERNAL_ADDR: '192.0.2.1:1' });
      await assert.rejects(
        start,
        /ended with 3:\ngsq: GSQ_INTERNAL_ADDR: .* is not loopback, so the internal port needs TLS there; set GSQ_INTERNAL_TLS_CERT/,
      );
    });
  }

  for (const name of ['gateway', 'prober', 'notifier'] as const) {
    it(`the ${name} process exits with 3 if it finds no internal secret`, async () => {
      const { GSQ_INTERNAL_SECRET: _, ...bare } = stackDefaults;
      const start = ServiceProcess.start(name, { ...bare, GSQ_INTERNAL_ADDR: '127.0.0.1:1' });
      await assert.rejects(
        start,
        /ended with 3:\ngsq: GSQ_INTERNAL_SECRET: is not set, and there is no \S+internal\.secret, .*GSQ_DATA_DIR/,
      );
    });
  }
});
