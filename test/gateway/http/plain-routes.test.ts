import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PlainRoute, PlainRoutes } from '../../../gateway/http/plain-route.ts';

const route = (method: string, path: string): PlainRoute => ({
  method,
  path,
  acceptsPlain: () => true,
  listener: () => {},
});
const routes = new PlainRoutes([
  route('POST', '/v1/fetch'),
  route('GET', '/'),
  route('GET', '/server/{game_id}/{server}'),
  route('GET', '/badge/{game_id}/{server}.svg'),
]);
const find = (head: string) => routes.find(Buffer.from(`${head}\r\nHost: a\r\n\r\n`, 'latin1'));

describe('the route look-up of the fast HTTP parser', () => {
  it('finds no variables and no query if the request has the exact path of a route', () => {
    for (const line of ['POST /v1/fetch HTTP/1.1', 'GET / HTTP/1.1']) {
      const found = find(line);
      assert.equal(found?.target, undefined);
      assert.equal(found?.length, line.length + 2);
      assert.ok(line.includes(` ${found?.route.path} `));
    }
  });

  it('finds the decoded path variables and query parameters of a request', () => {
    const found = find('GET /badge/cs2/%5B2001:db8::1%5D%3A27015.svg?label=a%20b&label=c HTTP/1.1');
    assert.deepEqual(found?.target?.variables, { game_id: 'cs2', server: '[2001:db8::1]:27015' });
    assert.deepEqual(found?.target?.query.getAll('label'), ['a b', 'c']);
    assert.equal(found?.route.path, '/badge/{game_id}/{server}.svg');
    assert.equal(find('GET /?game=cs2 HTTP/1.1')?.target?.query.get('game'), 'cs2');
  });

  for (const line of [
    'POST /v1/fetch?x HTTP/1.1',
    'HEAD / HTTP/1.1',
    'GET / HTTP/1.0',
    'GET /server/cs2 HTTP/1.1',
    'GET /server//a HTTP/1.1',
    'GET /server/cs2/a/ HTTP/1.1',
    'GET /server/cs2/a/b HTTP/1.1',
    'GET /Server/cs2/a HTTP/1.1',
    'GET /server/cs2/%ff HTTP/1.1',
    'GET /server/cs2/%zz HTTP/1.1',
    'GET /server/cs2/a#b HTTP/1.1',
    'GET /server/cs2/ä HTTP/1.1',
    'GET http://a/ HTTP/1.1',
    `GET /server/cs2/${'a'.repeat(5000)} HTTP/1.1`,
  ])
    it(`leaves this request to node:http: ${line.slice(0, 40)}`, () => {
      assert.equal(find(line), undefined);
    });

  it('finds a route only after the whole request line has arrived', () => {
    assert.equal(routes.find(Buffer.from('GET /server/cs2/a HTTP/1.1')), undefined);
    assert.equal(routes.find(Buffer.from('GET')), undefined);
  });
});
