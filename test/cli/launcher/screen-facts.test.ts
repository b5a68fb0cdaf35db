import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { changedSettings, dataPlace, farewell, shortPath } from '../../../cli/launcher/screen-facts.ts';

test('the screen of npm start shows relative paths for files inside the working directory, and absolute paths for other files', () => {
  assert.equal(shortPath(resolve('data')), './data');
  assert.equal(shortPath('../data'), resolve('..', 'data'));
});

test('the screen of npm start lists only settings that differ from their defaults, and shows 0.0.0.0 and [::] as loopback addresses', () => {
  const defaults = { GSQ_INTERNAL_ADDR: '127.0.0.1:50052', GSQ_CORE_OPS_ADDR: '127.0.0.1:9091' };
  assert.deepEqual(changedSettings(defaults, resolve('data')), {});
  assert.deepEqual(
    changedSettings({ GSQ_CORE_OPS_ADDR: '0.0.0.0:9091', GSQ_INTERNAL_ADDR: '[::]:1' }, '/srv/data'),
    {
      GSQ_INTERNAL_ADDR: '[::1]:1',
      GSQ_DATA_DIR: '/srv/data',
    },
  );
});

test('npm start says that the data is in Redis or Valkey if GSQ_STORE is the URL of such a database', () => {
  const env = { GSQ_STORE: 'redis://127.0.0.1:6379', GSQ_DATA_DIR: '/srv/data' };
  assert.equal(dataPlace(env), 'the Redis or Valkey of GSQ_STORE');
  assert.equal(farewell([], false, env), 'all data is stored in the Redis or Valkey of GSQ_STORE');
  assert.equal(dataPlace({ GSQ_STORE: 'leveldb', GSQ_DATA_DIR: '/srv/data' }), '/srv/data');
});

test('npm start prints two things on exit: the path of the data, and the processes that did not finish their work', () => {
  assert.equal(farewell([], false, {}), 'all data is stored in ./data');
  assert.equal(farewell([], true, {}), 'the data of the demo is deleted');
  assert.equal(
    farewell(['core'], false, { GSQ_DATA_DIR: '/srv/data' }),
    'core did not finish; what callers were told is stored in /srv/data',
  );
});

test('npm start prints the settings that gsq commands in another shell need, with absolute paths of files', () => {
  const changed = {
    GSQ_GATEWAY_OPS_ADDR: '127.0.0.1:1',
    GSQ_CORE_OPS_ADDR: '127.0.0.1:2',
    GSQ_PROBER_OPS_ADDR: '127.0.0.1:3',
    GSQ_NOTIFIER_OPS_ADDR: '127.0.0.1:4',
  };
  const given = {
    GSQ_INTERNAL_SECRET: 'not to be printed',
    GSQ_INTERNAL_SECRET_FILE: 'my.secret',
    GSQ_INTERNAL_TLS_CERT: '/etc/cert.pem',
    GSQ_INTERNAL_TLS_KEY: 'key.pem',
    GSQ_INTERNAL_TLS_CA: './ca.pem',
  };
  assert.deepEqual(changedSettings(changed, undefined, given), {
    ...changed,
    GSQ_INTERNAL_SECRET_FILE: resolve('my.secret'),
    GSQ_INTERNAL_TLS_CERT: '/etc/cert.pem',
    GSQ_INTERNAL_TLS_KEY: resolve('key.pem'),
    GSQ_INTERNAL_TLS_CA: resolve('ca.pem'),
  });
  const ofDemo = { GSQ_INTERNAL_SECRET_FILE: 'data/internal.secret' };
  assert.deepEqual(changedSettings({}, undefined, ofDemo), {});
});
