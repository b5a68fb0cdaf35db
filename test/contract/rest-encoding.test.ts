import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ask, askRaw } from '../gateway/ask.ts';
import { answerKinds } from './answer-kinds.ts';
import { type CoreAndGateway, startCoreAndGateway } from './core-and-gateway.ts';
import { FETCH, GAMES } from './rest.ts';

describe('the REST gateway', () => {
  let stack: CoreAndGateway;
  before(async () => {
    stack = await startCoreAndGateway();
  });
  after(() => stack.stop());

  const kinds = (headers: Record<string, string>) => answerKinds(stack.http, headers);

  it('sends JSON with Content-Type: application/json; charset=utf-8, even in error answers', async () => {
    for (const [kind, { headers, bytes, text }] of Object.entries(await kinds({}))) {
      assert.equal(headers['content-type'], 'application/json; charset=utf-8', kind);
      assert.equal(headers['content-length'], String(bytes.length), kind);
      assert.ok(text.length > 2, kind);
      JSON.parse(text);
    }
  });

  it('compresses with gzip if the request has no Accept-Encoding header, which means any encoding (RFC 9110)', async () => {
    for (const [kind, { headers, bytes, text }] of Object.entries(await kinds({}))) {
      assert.equal(headers['content-encoding'], 'gzip', kind);
      assert.equal(headers.vary, 'Accept-Encoding', kind);
      assert.equal(gunzipSync(bytes).toString(), text, kind);
    }
  });

  it('compresses with gzip unless the Accept-Encoding header refuses gzip', async () => {
    for (const accepted of [
      'gzip',
      'br',
      'deflate, br',
      'gzip;q=0.1, identity;q=0',
      '*',
      'identity;q=0',
      'GZIP',
    ]) {
      for (const [kind, { headers }] of Object.entries(await kinds({ 'Accept-Encoding': accepted }))) {
        assert.equal(headers['content-encoding'], 'gzip', `${accepted}: ${kind}`);
      }
    }
  });

  it('sends an uncompressed answer if Accept-Encoding refuses gzip, for example with identity or gzip;q=0', async () => {
    for (const refused of ['identity', 'gzip;q=0', 'gzip; q=0.0, br', '*;q=0', '']) {
      for (const [kind, answer] of Object.entries(await kinds({ 'Accept-Encoding': refused }))) {
        const { headers, bytes, text } = answer;
        assert.equal(headers['content-encoding'], undefined, `${refused}: ${kind}`);
        assert.equal(headers.vary, 'Accept-Encoding');
        assert.equal(bytes.toString(), text);
      }
    }
  });

  it('sends the same body with and without compression', async () => {
    const packed = await ask(stack.http, { path: GAMES });
    const plain = await ask(stack.http, { path: GAMES, headers: { 'Accept-Encoding': 'identity' } });
    assert.equal(plain.text, packed.text);
    assert.ok(packed.bytes.length < plain.bytes.length / 2);
  });

  it('compresses the answer to an HTTP/1.0 request that has no Accept-Encoding header', async () => {
    const { head, body } = await askRaw(stack.http, `GET ${GAMES} HTTP/1.0\r\nHost: x\r\n\r\n`);
    assert.match(head, /^HTTP\/1\.1 200 OK/);
    assert.match(head, /^Content-Encoding: gzip$/im);
    assert.equal(JSON.parse(gunzipSync(body).toString()).length > 300, true);
  });

  it('answers an invalid HTTP request with a 4xx status and a JSON body', async () => {
    for (const bytes of [
      `BREW ${GAMES} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET ${GAMES} HTTP/1.1\r\n\r\n`,
      `GET ${GAMES} HTTP/9.9\r\nHost: x\r\n\r\n`,
      `GET ${GAMES} HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n`,
      `GET ${GAMES} HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ]) {
      const [line] = bytes.split('\r\n');
      const { head, body } = await askRaw(
        stack.http,
        bytes.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
      );
      assert.match(head, /^HTTP\/1\.1 4\d\d /, line);
      assert.match(head, /^Content-Type: application\/json; charset=utf-8$/im, line);
      const { error, message } = JSON.parse(gunzipSync(body).toString());
      assert.equal(typeof error, 'string', line);
      assert.ok(message.length > 0, line);
    }
  });
});
