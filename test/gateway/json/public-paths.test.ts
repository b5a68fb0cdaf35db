import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkAlone as checkCore } from '../../../core/core-settings.ts';
import { checkAlone as checkGateway } from '../../../gateway/gateway.ts';
import { hostOf, isLoopbackHost } from '../../../gateway/json/public-paths.ts';
import { credentialKeys } from '../../../proto/clients.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import { settings } from '../../../runtime/settings.ts';
import { ask, credentials } from '../ask.ts';
import { withGateway } from '../running-gateway.ts';

describe('a path that needs no token (GSQ_PAGE=on)', () => {
  const { gateway } = withGateway({ GSQ_PAGE: 'on', GSQ_PUBLIC_URL: 'https://GSQ.example.com/path/' });
  const get = (host: string, more: Record<string, string> = {}, path = '/v1/summary') =>
    ask(gateway.http, { path, headers: { Host: host, ...more } });

  it('answers requests for loopback hosts and the host of GSQ_PUBLIC_URL', async () => {
    for (const host of [
      'localhost:8080',
      'a.localhost',
      '127.9.9.9',
      '[::1]:80',
      'gsq.example.com',
      'GSQ.EXAMPLE.COM:444',
    ]) {
      assert.equal((await get(host)).status, 200, host);
    }
  });

  it('answers 404 to a request without a token if its Host is unknown (protection against DNS rebinding)', async () => {
    for (const host of [
      'evil.example',
      '192.0.2.1',
      'gsq.example.com.evil.example',
      'localhost.evil.example',
      '127.0.0.1@evil',
      'a/b',
      'a"onload="alert(1)"x=".localhost',
      "a'&(b)=c.localhost",
    ]) {
      for (const path of ['/v1/summary', '/v1/servers/rust/a:1/incidents.atom', '/v1/events?game=rust']) {
        const { status, json } = await get(host, {}, path);
        assert.equal(`${status} ${json.error}`, '404 ROUTE_1', `${host} ${path}`);
      }
      assert.equal((await get(host, credentials)).status, 200, host);
    }
  });

  it('treats empty credentials as no credentials, as the core does', async () => {
    const headers = Object.values(credentialKeys);
    for (const path of ['/v1/summary', '/v1/servers/rust/a:1/incidents.atom', '/v1/events?game=rust']) {
      for (const sent of [...headers.map(name => [name]), headers]) {
        const empty = Object.fromEntries(sent.map(name => [name, '']));
        const { status, json } = await get('evil.example', empty, path);
        assert.equal(`${status} ${json.error}`, '404 ROUTE_1', `${path} ${sent}`);
      }
    }
  });
});

describe('a path that needs a token', () => {
  const { gateway } = withGateway();
  it('accepts any Host header, because the token already protects against DNS rebinding', async () => {
    const { status } = await ask(gateway.http, { path: '/v1/summary', headers: { Host: 'any.example' } });
    assert.equal(status, 200);
  });
});

describe('the host of the Host header', () => {
  it('is in lower case without port, and empty if the header is invalid', () => {
    const hosts = ['A.example:80', '[::1]:8080', '127.1', undefined, 'a b', 'u@a', 'a/b', 'a:x', 'a:99999'];
    assert.deepEqual(hosts.map(hostOf), ['a.example', '[::1]', '127.0.0.1', '', '', '', '', '', '']);
    const usual = [
      'my_host-1.example',
      '[2001:DB8::1]',
      '[::ffff:127.0.0.1]:443',
      'xn--bcher-kva.example:8080',
    ];
    assert.deepEqual(usual.map(hostOf), [
      'my_host-1.example',
      '[2001:db8::1]',
      '[::ffff:7f00:1]',
      'xn--bcher-kva.example',
    ]);
  });

  it('is empty if the header contains a character that ends or changes an HTML attribute or a Markdown link', () => {
    for (const character of `"'\`=()&<>;,!$*+~{}|^%`) {
      for (const header of [`a${character}.localhost`, `localhost${character}`, `[::1${character}]`])
        assert.equal(hostOf(header), '', header);
    }
  });

  it('counts as loopback only if it is localhost, a subdomain of localhost, or a loopback address', () => {
    const loopback = [
      'localhost',
      'x.localhost',
      '127.0.0.1',
      '[::1]',
      'localhost.example',
      '10.0.0.1',
      '[::]',
      '',
    ];
    assert.deepEqual(loopback.map(isLoopbackHost), [true, true, true, true, false, false, false, false]);
  });
});

describe('the settings GSQ_PAGE and GSQ_PUBLIC_URL', () => {
  const bad: [string, string][] = [
    ['GSQ_PAGE', 'yes'],
    ['GSQ_PUBLIC_URL', 'gsq.example.com'],
    ['GSQ_PUBLIC_URL', 'ftp://gsq.example.com'],
    ['GSQ_PUBLIC_URL', 'https://'],
    ['GSQ_PUBLIC_URL', 'https://user@gsq.example.com'],
    ['GSQ_PUBLIC_URL', 'https://gsq.example.com/?a=1'],
  ];
  for (const [name, value] of bad) {
    it(`cause a ConfigError in core and gateway if ${name} is ${value}`, () => {
      const config = loadConfig(settings, { [name]: value, GSQ_INTERNAL_SECRET: 'a-secret-of-16-chars' }, []);
      const refusal = { name: 'ConfigError', message: new RegExp(`^${name}: "`) };
      assert.throws(() => checkCore(config), refusal);
      assert.throws(() => checkGateway(config), refusal);
    });
  }
});
