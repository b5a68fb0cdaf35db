import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BaseUrl } from '../../../gateway/json/base-url.ts';

describe('the URL with which links to the gateway begin', () => {
  it('is GSQ_PUBLIC_URL, whatever the Host header is', () => {
    const base = new BaseUrl(new URL('https://gsq.example.com/'), false);
    for (const host of [undefined, 'localhost', 'a"b.localhost'])
      assert.equal(base.baseFor(host), 'https://gsq.example.com');
  });

  it('contains the Host header if this header is a loopback host, with or without a port', () => {
    const base = new BaseUrl(undefined, false);
    for (const host of ['localhost', 'localhost:8080', 'a.localhost', '127.0.0.1:80', '[::1]', '[::1]:8080'])
      assert.equal(base.baseFor(host), `http://${host}`);
    assert.equal(new BaseUrl(undefined, true).baseFor('localhost'), 'https://localhost');
  });

  it('is unknown if the Host header is not a loopback host, or contains characters that are not allowed in a host name', () => {
    const base = new BaseUrl(undefined, false);
    for (const host of [
      undefined,
      '',
      'evil.example',
      'a"onload="alert(1)"x=".localhost',
      "a'&(b).localhost",
    ])
      assert.equal(base.baseFor(host), undefined, host);
  });
});
