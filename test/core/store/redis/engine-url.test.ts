import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionOptions } from '../../../../core/store/redis/connection-options.ts';
import { EngineUrlError, parseEngineUrl } from '../../../../core/store/redis/engine-url.ts';

const plain = { username: undefined, password: undefined, tls: undefined, replicas: undefined, aof: false };

test('a URL of a storage engine with only a host has the default port and no credentials', () => {
  assert.deepEqual(parseEngineUrl('redis://valkey.example'), {
    ...plain,
    seeds: [{ host: 'valkey.example', port: 6379 }],
    shown: 'redis://valkey.example:6379',
  });
});

test('a URL of a storage engine can have several hosts, a user, a password, TLS files, and the parameters for durable writes', () => {
  const url = parseEngineUrl(
    'rediss://gsq:p%40ss%2Fword@10.0.0.1:7000,node-2,[2001:db8::3]:7002/0' +
      '?replicas=2&aof=yes&ca=/etc/gsq/ca.pem&cert=c.pem&key=k.pem',
  );
  assert.deepEqual(url, {
    seeds: [
      { host: '10.0.0.1', port: 7000 },
      { host: 'node-2', port: 6379 },
      { host: '2001:db8::3', port: 7002 },
    ],
    username: 'gsq',
    password: 'p@ss/word',
    tls: { ca: '/etc/gsq/ca.pem', cert: 'c.pem', key: 'k.pem' },
    replicas: 2,
    aof: true,
    shown: 'rediss://10.0.0.1:7000,node-2:6379,[2001:db8::3]:7002',
  });
});

test('in a URL of a storage engine, a password without a user belongs to the default user', () => {
  const { username, password } = parseEngineUrl('redis://:secret@host');
  assert.deepEqual({ username, password }, { username: undefined, password: 'secret' });
});

test('a wrong URL of a storage engine is refused with a message that says what is wrong and contains no secret of the URL', () => {
  const wrong: [url: string, message: RegExp][] = [
    ['http://S3CRET@host', /redis:\/\/host:port or rediss/],
    ['redis://u:S3CRET#1@host', /%23/],
    ['redis://u:S3CRET/x@host', /%2F/],
    ['redis://u:S3CRET@host/1', /only database 0/],
    ['redis://S3CRET@host', /a user and no password/],
    ['redis://S3CRET:@host', /password is empty/],
    ['redis://u:S3CRET%@host', /two hexadecimal digits/],
    ['redis://u:S3CRET@', /host number 1/],
    ['redis://u:S3CRET@host,', /host number 2/],
    ['redis://u:S3CRET@host:0', /host number 1/],
    ['redis://u:S3CRET@host:65536', /host number 1/],
    ['redis://u:S3CRET@::1', /brackets/],
    ['redis://u:S3CRET@[host]', /brackets/],
    ['redis://u:S3CRET@host?S3CRET=1', /unknown parameter; the known ones are replicas, aof, ca, cert, key/],
    ['redis://u:S3CRET@host?replicas=S3CRET', /replicas must be a number from 0 to 10/],
    ['redis://u:S3CRET@host?replicas=11', /from 0 to 10/],
    ['redis://u:S3CRET@host?replicas=1&replicas=2', /replicas twice/],
    ['redis://u:S3CRET@host?aof=S3CRET', /aof must be yes or no/],
    ['redis://u:S3CRET@host?ca=S3CRET', /ca, which only rediss/],
    ['rediss://u:S3CRET@host?cert=S3CRET', /both parameters cert and key/],
  ];
  for (const [url, message] of wrong) {
    assert.throws(
      () => parseEngineUrl(url),
      (error: unknown) => {
        assert.ok(error instanceof EngineUrlError, url);
        assert.match(error.message, message);
        assert.doesNotMatch(JSON.stringify(error) + error.stack + error.message, /S3CRET/);
        return true;
      },
    );
  }
});

test('if a TLS file in the URL of a storage engine cannot be read, the error names the URL parameter of the file', () => {
  const url = parseEngineUrl('rediss://host?ca=/nonexistent/ca.pem');
  const refusal = { name: 'EngineUrlError', message: /parameter ca cannot be read \(ENOENT\)/ };
  assert.throws(() => connectionOptions(url), refusal);
});
