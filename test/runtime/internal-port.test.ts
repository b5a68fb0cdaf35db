import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  findInternalSecret,
  internalRoute,
  internalSecret,
  internalTls,
  keepInternalSecret,
} from '../../runtime/internal-port.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { settings } from '../../runtime/settings.ts';
import { Authority } from '../system/certificates.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const configOf = (environment: Record<string, string> = {}) => loadConfig(settings, environment, []);

function refuses(act: () => unknown, message: RegExp): void {
  assert.throws(act, { name: 'ConfigError', message });
}

describe('the TLS configuration of the internal port', () => {
  const directory = scratchDirectory();
  const authority = new Authority(directory);
  const tls = authority.settingsFor('core', ['127.0.0.1']);
  const others = new Authority(scratchDirectory()).settingsFor('other', ['127.0.0.1']);

  for (const address of ['127.0.0.1:1', '127.9.9.9:1', '[::1]:1', 'localhost:1']) {
    test(`is not required for the loopback address ${address}`, () => {
      assert.equal(internalTls(configOf({ GSQ_INTERNAL_ADDR: address })), undefined);
      assert.ok(internalTls(configOf({ GSQ_INTERNAL_ADDR: address, ...tls })));
    });
  }

  for (const address of [
    ':1',
    '0.0.0.0:1',
    '[::]:1',
    '192.0.2.1:1',
    '[fd00::1]:1',
    'core:1',
    '127.example:1',
  ]) {
    test(`is required for ${address}, which is not a loopback address`, () => {
      refuses(
        () =>
          internalTls(configOf({ GSQ_INTERNAL_ADDR: address, GSQ_INTERNAL_SECRET: 'between the two of us' })),
        /^GSQ_INTERNAL_ADDR: .* is not loopback.* set GSQ_INTERNAL_TLS_CERT, GSQ_INTERNAL_TLS_KEY and GSQ_INTERNAL_TLS_CA/,
      );
      const identity = internalTls(configOf({ GSQ_INTERNAL_ADDR: address, ...tls }));
      assert.deepEqual(identity?.authority, readFileSync(authority.path));
    });
  }

  for (const name of Object.keys(tls)) {
    test(`is refused if, of its three settings, only ${name} is set or only ${name} is missing`, () => {
      const { [name]: path = '', ...rest } = tls;
      for (const some of [{ [name]: path }, rest]) {
        refuses(
          () => internalTls(configOf(some)),
          /^GSQ_INTERNAL_TLS_\w+: is set without GSQ_.*; set all three/,
        );
      }
    });

    test(`is refused if the file of ${name} is missing or invalid`, () => {
      const broken = join(directory, 'broken');
      writeFileSync(broken, 'nothing', { mode: 0o600 });
      for (const path of [join(directory, 'none'), broken]) {
        refuses(() => internalTls(configOf({ ...tls, [name]: path })), new RegExp(`^${name}: .*${path}`));
      }
    });
  }

  test('is refused if other users can read the key file', () => {
    const open = new Authority(scratchDirectory()).settingsFor('core', ['127.0.0.1']);
    const key = open.GSQ_INTERNAL_TLS_KEY ?? '';
    chmodSync(key, 0o644);
    refuses(
      () => internalTls(configOf(open)),
      new RegExp(`^GSQ_INTERNAL_TLS_KEY: ${key} has mode 0644 .*: chmod 600 ${key}$`),
    );
  });

  test('is refused if the key does not belong to the certificate', () => {
    const mixed = { ...tls, GSQ_INTERNAL_TLS_KEY: others.GSQ_INTERNAL_TLS_KEY ?? '' };
    refuses(
      () => internalTls(configOf(mixed)),
      /^GSQ_INTERNAL_TLS_KEY: .* is not the key of the certificate in /,
    );
  });

  test('is refused if the certificate has expired', () => {
    const ended = authority.settingsFor('ended', ['127.0.0.1'], Date.now() - 1000);
    refuses(() => internalTls(configOf(ended)), /^GSQ_INTERNAL_TLS_CERT: the certificate in .* expired on /);
  });

  test('lets clients connect to 127.0.0.1 or ::1 if the port listens on all interfaces of the machine', () => {
    const hostOf = (address: string) => internalRoute(configOf({ GSQ_INTERNAL_ADDR: address, ...tls }));
    assert.deepEqual([hostOf(':7').address, hostOf(':7').host], ['127.0.0.1:7', '127.0.0.1']);
    assert.deepEqual([hostOf('[::]:7').address, hostOf('[::]:7').host], ['[::1]:7', '::1']);
    assert.deepEqual([hostOf('core:7').address, hostOf('core:7').host], ['core:7', 'core']);
  });
});

describe('the secret of the internal port', () => {
  const inDirectory = (path: string) => configOf({ GSQ_DATA_DIR: path });

  test('is read from the setting, or from the data directory if the setting is absent', () => {
    const directory = scratchDirectory();
    const made = keepInternalSecret(inDirectory(directory));
    const both = configOf({ GSQ_DATA_DIR: directory, GSQ_INTERNAL_SECRET: 'between the two of us' });
    assert.equal(internalSecret(both), 'between the two of us');
    assert.equal(internalSecret(inDirectory(directory)), made);
  });

  test('is random and is created once per data directory, even if the directory did not exist before', () => {
    const directory = join(scratchDirectory(), 'data');
    const made = keepInternalSecret(inDirectory(directory));
    assert.equal(keepInternalSecret(inDirectory(directory)), made);
    assert.notEqual(keepInternalSecret(inDirectory(scratchDirectory())), made);
  });

  test('is required, and the error about a missing secret explains how to set it', () => {
    const directory = scratchDirectory();
    assert.equal(findInternalSecret(inDirectory(directory)), undefined);
    refuses(
      () => internalSecret(inDirectory(directory)),
      new RegExp(
        `^GSQ_INTERNAL_SECRET: is not set, and there is no ${directory}/internal.secret.*GSQ_DATA_DIR.*GSQ_INTERNAL_SECRET_FILE`,
      ),
    );
  });

  test('is refused if its file is empty or other users can read the file', () => {
    const directory = scratchDirectory();
    const path = join(directory, 'internal.secret');
    writeFileSync(path, '\n', { mode: 0o600 });
    refuses(() => findInternalSecret(inDirectory(directory)), /^GSQ_DATA_DIR: .* is empty/);
    chmodSync(path, 0o640);
    refuses(
      () => findInternalSecret(inDirectory(directory)),
      /^GSQ_DATA_DIR: .* has mode 0640 .*: chmod 600 /,
    );
  });

  test('is refused if it contains a control character, and the error does not contain the secret', () => {
    const directory = scratchDirectory();
    const secret = 'between the\u0007two of us';
    writeFileSync(join(directory, 'internal.secret'), secret, { mode: 0o600 });
    const hidden = (source: RegExp) => (error: Error) => {
      assert.equal(error.name, 'ConfigError');
      assert.match(error.message, source);
      assert.ok(!error.message.includes('between') && !error.message.includes('two of us'));
      return true;
    };
    for (const read of [findInternalSecret, internalSecret, keepInternalSecret]) {
      const remedy = /^GSQ_DATA_DIR: \S*internal\.secret contains .*; remove the file and restart/;
      assert.throws(() => read(inDirectory(directory)), hidden(remedy));
    }
    assert.throws(
      () => configOf({ GSQ_INTERNAL_SECRET: secret }),
      hidden(/^GSQ_INTERNAL_SECRET: contains .*; choose a different secret$/),
    );
  });

  test('cannot be created if the data directory is a file, and the error contains the path', () => {
    const directory = join(scratchDirectory(), 'data');
    writeFileSync(directory, 'a file');
    refuses(() => keepInternalSecret(inDirectory(directory)), new RegExp(`^GSQ_DATA_DIR: .*${directory}`));
  });
});
